/** Returns the data that `pageWith` embedded. */
export function shownData<T>(): T {
  return JSON.parse(document.getElementById('shown')?.textContent ?? 'null') as T
}

/** Creates an element with text or children. */
export function element(tag: string, inside: string | readonly Node[] = [], className = ''): HTMLElement {
  const made = document.createElement(tag)
  if (className !== '') made.className = className
  if (typeof inside === 'string') made.textContent = inside
  else made.append(...inside)
  return made
}

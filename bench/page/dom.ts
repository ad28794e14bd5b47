/** What the page was made with. */
export function shownData<T>(): T {
  return JSON.parse(document.getElementById('shown')?.textContent ?? 'null') as T
}

/** An element with text or children in it. */
export function element(tag: string, inside: string | readonly Node[] = [], className = ''): HTMLElement {
  const made = document.createElement(tag)
  if (className !== '') made.className = className
  if (typeof inside === 'string') made.textContent = inside
  else made.append(...inside)
  return made
}

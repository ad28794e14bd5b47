import { NOBODY } from '../../policy/oncall/settings.ts'
import { isObject } from '../../text/json-object.ts'
import { dotted, empty, type Issue, type Lookup, list, type Path, valueAt } from '../config-error.ts'
import { known, namesOf, repeated } from './known-names.ts'

/** Yields the errors of schedules of on-call that only the rest of the configuration shows. */
export function* oncallIssues(get: Lookup): Generator<Issue> {
  const people = namesOf(get, 'people')
  const names = namesOf(get, 'oncall.schedules')
  if (names.length > 0 && people.includes(NOBODY))
    yield { path: ['people', NOBODY], message: 'has the name that stands for no person in schedules: give another' }
  for (const name of names)
    for (const [path, person] of [...peopleOf(name, get)])
      if (!empty(person)) yield* known(path, person, [...people, NOBODY], 'a person')
  for (const name of names) {
    const path = ['oncall', 'schedules', name, 'layers']
    yield* repeated(path, list(get(dotted(path))))
  }
}

/** Yields every name of a person in a schedule, with its place. */
export function* peopleOf(name: string, get: Lookup): Generator<readonly [Path, unknown]> {
  const path = ['oncall', 'schedules', name]
  for (const [at, layer] of list(get([...path, 'layers'].join('.'))).entries()) {
    const members = valueAt(layer, ['members'])
    const lists: [Path, unknown][] = isObject(members)
      ? Object.entries(members).map(([date, each]) => [['members', date], each])
      : [[['members'], members]]
    for (const [inside, each] of lists)
      for (const [nth, person] of list(each).entries()) yield [[...path, 'layers', at, ...inside, nth], person]
  }
  for (const [at, override] of list(get([...path, 'overrides'].join('.'))).entries())
    for (const key of ['person', 'instead_of']) yield [[...path, 'overrides', at, key], valueAt(override, [key])]
}

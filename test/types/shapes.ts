// Compiled by `npm run lint`, never run: a table of shapes has every member of its type, and nothing else.
import type { AuthConfig, SessionOptions } from '../../lib/config/options.js'
import { object } from '../../lib/kernel/object-shape.js'
import { anything, call, either, flag, listOf, oneOf, type ShapesOf, text } from '../../lib/kernel/shape.js'

interface Options {
  name?: string
  isOn?: boolean
  names?: string | readonly string[]
  kind?: 'one' | 'other'
  inner?: { decide?: (given: string) => boolean }
  [marker: symbol]: string
}

const decide = object<{ decide?: (given: string) => boolean }>({ decide: call })

export const whole = object<Options>({
  name: text,
  isOn: flag,
  names: either(text, listOf(text, 'texts')),
  kind: oneOf('one', 'other'),
  inner: decide,
})

// @ts-expect-error `inner` is missing
export const lacking: ShapesOf<Options> = { name: text, isOn: flag, names: anything, kind: anything }

export const wrong: ShapesOf<Options> = {
  // @ts-expect-error a text is no flag
  name: flag,
  isOn: flag,
  // @ts-expect-error a list would be refused
  names: text,
  // @ts-expect-error any text would be accepted
  kind: text,
  // @ts-expect-error the members of a member have their shapes, too
  inner: object<{ decide?: string }>({ decide: text }),
}

export const more: ShapesOf<{ name?: string }> = {
  name: text,
  // @ts-expect-error there is no such member
  nmae: text,
}

// When somebody adds an option: neither of these tables is whole any more.
declare const options: ShapesOf<AuthConfig>
declare const session: ShapesOf<SessionOptions>
// @ts-expect-error
export const added: ShapesOf<AuthConfig & { added?: string }> = options
// @ts-expect-error
export const addedInside: ShapesOf<SessionOptions & { added?: number }> = session

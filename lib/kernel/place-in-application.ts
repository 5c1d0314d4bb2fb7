/** The end of the path of this file; what is before it is the folder of the package. In a bundle, this file has another name. */
const OWN_FILE = /kernel[\\/]place-in-application\.[jt]s:\d+:\d+$/

/**
 * The line of the application that has called Latchkey, directly or by a package such as Express, as it now stands on the
 * stack: file, line and column. It takes some microseconds.
 *
 * @returns null if the stack does not say it
 */
export function placeInApplication(): string | null {
  const { stack = '' } = new Error('Where is the application?')
  const places = stack.split('\n').flatMap((line) => PLACE.exec(line)?.[1] ?? [])
  const root = (places[0] ?? '').replace(OWN_FILE, '')
  const isOurs = (place: string) => root !== places[0] && place.startsWith(root)
  const others = places.filter((place) => !place.startsWith('node:') && !isOurs(place))
  return others.find((place) => !/[\\/]node_modules[\\/]/.test(place)) ?? others[0] ?? null
}

/** `    at route (file:///app/server.js:12:5)`, and the same without a name or after `async`. A folder may have parentheses, too. */
const PLACE = /^ *at (?:.*? \()?(?:async )?((?:[a-z]+:|\/).*:\d+:\d+)\)?$/i

/**
 * Refuses an option whose name the client does not know, for applications in JavaScript. A misspelt `basePath` would ask the
 * wrong server path, and a misspelt `redirectTo` would be sent as a field of the form.
 *
 * @param known the names of all options
 * @throws {TypeError} it names the option and the known names
 */
export function checkNames(options: object, known: readonly string[], call: string): void {
  if (typeof options !== 'object' || options === null) throw new TypeError(`${call} takes an object: { ${known[0]} }.`)
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const meant = known.find((name) => plain(name) === plain(unknown))
  const advice = meant === undefined ? `The options are: ${known.join(', ')}.` : `Did you mean ${meant}?`
  throw new TypeError(`${call} has no option "${unknown.slice(0, 40)}". ${advice}`)
}

/** Names that `redirectTo` has in other packages, in lower case and without dashes. */
const REDIRECTS = ['redirecturl', 'redirecturi', 'returnto']

/**
 * Refuses a name that is probably a misspelt option. All other names pass: each provider has fields of its own, and the
 * handler of a click is called with an event.
 *
 * @throws {TypeError}
 */
export function checkSpelling(names: Iterable<string>, known: readonly string[], call: string): void {
  for (const name of names) {
    if (known.includes(name)) continue
    const written = plain(name)
    const meant = REDIRECTS.includes(written) ? 'redirectTo' : known.find((each) => plain(each) === written)
    if (meant !== undefined) throw new TypeError(`${call} has no option "${name}". Did you mean ${meant}?`)
  }
}

const plain = (name: string) => name.toLowerCase().replace(/[-_]/g, '')

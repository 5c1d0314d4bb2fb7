/**
 * Whether a text can be parsed as a URL by itself. `URL.canParse` of Node 20 denies it of a host that is not ASCII, once it was
 * called so often that it is compiled.
 */
export function isAbsoluteUrl(text: string): boolean {
  try {
    new URL(text)
    return true
  } catch {
    return false
  }
}

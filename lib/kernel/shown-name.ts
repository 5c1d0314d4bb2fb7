const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u
/** What no text has, what is no single line, and what changes how the text around a name is shown. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** Whether a name that somebody has given can be seen, and changes nothing around it. */
export const canBeShown = (name: string): boolean => VISIBLE.test(name) && !HIDDEN.test(name)

/** Columns of a line in plain text (RFC 5322 §2.1.1 recommends at most 78 characters). */
const LINE = 76

/** Characters that take two columns: Chinese, Japanese and Korean ones. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g

const columnsOf = (text: string): number => text.length + (text.match(WIDE)?.length ?? 0)

/**
 * A text in lines that every mail program shows as they are. Lines are broken between words, also in languages without
 * spaces.
 */
export function wrap(text: string, language: string): string {
  const lines: string[] = []
  let line = ''
  for (const piece of piecesOf(text, language)) {
    if (line !== '' && columnsOf((line + piece).trimEnd()) > LINE) {
      lines.push(line.trimEnd())
      line = piece.trimStart()
    } else line += piece
  }
  return [...lines, line.trimEnd()].join('\n')
}

/** The words of a text, each with what follows it up to the next word: no line begins with a comma or a full stop. */
function piecesOf(text: string, language: string): readonly string[] {
  const pieces: string[] = []
  for (const { segment, isWordLike } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) {
    const last = pieces.at(-1)
    const isNew = last === undefined || (isWordLike === true && (/\s$/.test(last) || WIDE_END.test(last)))
    if (isNew) pieces.push(segment)
    else pieces[pieces.length - 1] = last + segment
  }
  return pieces
}

const WIDE_END = new RegExp(`${WIDE.source}$`)

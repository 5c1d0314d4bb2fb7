import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { run } from '../../lib/cli/run.js'
import { migratedDatabase, sqlite } from '../adapters/sql/databases.js'

const guideOf = (name: string) => readFileSync(new URL(`../../docs/guides/${name}`, import.meta.url), 'utf8')

/** The words of each command line in a text: of a shell, of a unit of systemd, of a list in YAML. */
function commandLinesOf(text: string): string[][] {
  const lines = text.matchAll(/npx latchkey (prune(?: +[^\s`#>]+)*)/g)
  const lists = text.matchAll(/command: \["npx", "latchkey", (.*)\]/g)
  return [
    ...[...lines].map(([, words = '']) => words.split(/ +/)),
    ...[...lists].map(([, words = '']) => JSON.parse(`[${words}]`) as string[]),
  ]
}

describe('the recipes for latchkey prune', () => {
  for (const guide of ['sql.md', 'adapters.md', 'redis.md']) {
    it(`of ${guide} are command lines that work`, async () => {
      const database = await migratedDatabase(sqlite)
      const commandLines = commandLinesOf(guideOf(guide))
      expect(commandLines).to.have.lengthOf.at.least(1)
      for (const words of commandLines) {
        // What they name as places is nobody's: a database of the test's own stands for it.
        const own = words.flatMap((word, index) => {
          if (word === '--redis' || words[index - 1] === '--redis') return []
          return words[index - 1] === '--database' ? [database.url] : [word]
        })
        const complaints: string[] = []
        const code = await run(own, {
          version: '0.0.0',
          colours: false,
          variables: { DATABASE_URL: database.url },
          print: () => undefined,
          complain: (line) => complaints.push(line),
        })
        expect({ words, code, complaints }).to.deep.equal({ words, code: 0, complaints: [] })
      }
      await database.drop()
    })
  }
})

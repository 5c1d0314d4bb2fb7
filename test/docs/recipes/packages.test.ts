import { readdirSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT, readText } from '../documents.js'

/** What every recipe has, as the index of the recipes says. */
const EVERYWHERE = ['latchkey', 'express']
/** Packages that a module of Latchkey loads where it is used. */
const LOADED: Readonly<Record<string, readonly string[]>> = {
  'latchkey/providers/nodemailer': ['nodemailer'],
  'latchkey/adapters/sql': ['kysely'],
}

const packageOf = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')

const FOLDER = 'examples/recipes'
const INDEX = readText('docs/recipes/README.md')

/** The code of a recipe, which is a file or a folder. */
function codeOf(name: string): string {
  const path = join(FOLDER, name)
  if (statSync(join(ROOT, path)).isFile()) return readText(path)
  const files = readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readText(join(path, file)))
    .join('\n')
}

describe('the index of the recipes', () => {
  for (const name of readdirSync(join(ROOT, FOLDER))) {
    it(`has ${name}, and which packages it needs`, () => {
      const row = INDEX.split('\n').find((line) => line.includes(`](../../${FOLDER}/${name})`)) ?? ''
      expect(row).not.to.equal('')
      const imports = [...codeOf(name).matchAll(/^import (?:.*? from )?'([^'.]+)'/gm)].map(([, from = '']) => from)
      const needed = imports
        .flatMap((from) => [packageOf(from), ...(LOADED[from] ?? [])])
        .filter((from) => !isBuiltin(from) && !from.startsWith('~') && !EVERYWHERE.includes(from))
      const [, installed = ''] = /npm install ([^`]+)/.exec(row) ?? []
      expect(installed.split(' ')).to.include.members(needed)
    })
  }
})

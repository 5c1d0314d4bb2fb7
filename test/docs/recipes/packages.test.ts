import { readdirSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT, readText } from '../documents.js'

/** What every recipe has, as the index of the recipes says. */
const EVERYWHERE = ['latchkey', 'express']
/** Packages that a module of Latchkey loads where it is used. */
const LOADED: Readonly<Record<string, string>> = { 'latchkey/providers/nodemailer': 'nodemailer' }

const packageOf = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')

describe('the recipes', () => {
  for (const file of readdirSync(join(ROOT, 'docs/recipes')).filter((name) => name !== 'README.md')) {
    it(`${file} says which packages it needs`, () => {
      const text = readText(`docs/recipes/${file}`)
      const imports = [...text.matchAll(/^import .*? from '([^'.]+)'/gm)].map(([, name = '']) => name)
      expect(imports).not.to.deep.equal([])
      const needed = imports
        .flatMap((name) => [packageOf(name), ...(LOADED[name] === undefined ? [] : [LOADED[name]])])
        .filter((name) => !isBuiltin(name) && !EVERYWHERE.includes(name))
      const installed = [...text.matchAll(/npm install (?:--save-dev )?([^`\n]+)/g)].flatMap(([, names = '']) =>
        names.trim().split(' '),
      )
      expect(installed).to.include.members(needed)
    })
  }
})

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ID = /\b(?:OIDC|OAUTH|ISS|PKCE|LOGOUT|COOKIE|CSRF|SESS|TOK|ACCT|WEBAUTHN|WEB|PWD|RATE|ACT|MFA|EVENT)-\d{2}\b/g

/** The beginning of a test or a suite, with its title. */
const TITLE = /\b(?:it|describe)\(\s*(?:'[^'\n]*'|"[^"\n]*"|`[^`]*`)/g

const idsIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|md)$/.test(name) && name !== 'requirements.md')
    .flatMap((name) => readFileSync(join(ROOT, folder, name), 'utf8').match(ID) ?? [])

describe('docs/requirements.md', () => {
  const page = readFileSync(join(ROOT, 'docs/requirements.md'), 'utf8')

  it('says what every id means that code, tests and documents name', () => {
    const named = new Set(['lib', 'test', 'docs'].flatMap(idsIn))
    expect(named.size).to.be.greaterThan(50)
    expect([...named].filter((id) => !page.includes(`| ${id} |`))).to.deep.equal([])
  })

  it('has only ids that stand in the title of a test', () => {
    const titles = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => readFileSync(join(ROOT, 'test', name), 'utf8').match(TITLE) ?? [])
    const played = new Set(titles.flatMap((title) => title.match(ID) ?? []))
    const ids = [...page.matchAll(/^\| ([A-Z]+-\d{2}) \|/gm)].map(([, id = '']) => id)
    expect(ids.length).to.be.greaterThan(100)
    expect(ids.filter((id) => !played.has(id))).to.deep.equal([])
  })

  it('has no id twice', () => {
    const rows = [...page.matchAll(/^\| ([A-Z]+-\d{2}) \|/gm)].map(([, id]) => id)
    expect(new Set(rows).size).to.equal(rows.length)
  })
})

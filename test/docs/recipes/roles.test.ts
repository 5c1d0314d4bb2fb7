import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Express } from 'express'
import { type Kysely, sql } from 'kysely'
import type { AuthConfig } from '../../../lib/index.js'
import { listen, type Running, SECRET } from '../../support/app.js'
import type { Visitor } from '../../support/visitor.js'
import { loadRecipe, signedIn, textOf, useVariables } from './recipe.js'

interface Roles {
  readonly app: Express
  readonly config: AuthConfig
  readonly db: Kysely<{ users: { id: string; email: string; role: string | null } }>
}

describe('examples/recipes/roles.ts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-roles-'))
  let recipe: Roles
  let app: Running
  let ada: Visitor
  let grace: Visitor

  useVariables({ AUTH_SECRET: SECRET, AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'secret' })

  before(async () => {
    recipe = await loadRecipe<Roles>('roles.ts', (code) =>
      code.replace("'app.db'", JSON.stringify(join(folder, 'app.db'))),
    )
    app = await listen(recipe.app)
    ada = await signedIn(app, recipe.config, { name: 'Ada', email: 'ada@example.com' })
    grace = await signedIn(app, recipe.config, { name: 'Grace', email: 'grace@example.com' })
  })
  after(async () => {
    await app?.close()
    await recipe?.db.destroy()
    rmSync(folder, { recursive: true, force: true })
  })

  it('lets nobody in without the role', async () => {
    expect((await app.visitor().get('/articles')).status).to.equal(401)
    expect((await grace.get('/articles')).status).to.equal(403)
    expect((await ada.get('/admin/users')).status).to.equal(403)
  })

  it('lets an administrator give a role, which counts at the next request', async () => {
    await sql.raw(/update users .*/.exec(textOf('roles.ts'))?.[0] ?? '').execute(recipe.db)
    const page = await ada.get('/admin/users')
    expect(page.text).to.include('grace@example.com').and.to.include('a reader')
    const [, action = ''] = /action="([^"]+)">\s+<input[^>]+>\s+grace@/.exec(page.text) ?? []
    const [, csrfToken = ''] = /name="csrfToken" value="([^"]+)"/.exec(page.text) ?? []
    expect((await ada.post(action, { role: 'writer' })).status, 'without the token').to.equal(403)
    expect((await ada.post(action, { csrfToken, role: 'owner' })).status, 'another role').to.equal(400)
    expect((await ada.post(action, { csrfToken, role: 'writer' })).status).to.equal(303)
    expect((await grace.get('/articles')).text).to.equal('Write something.')
    expect((await grace.get('/admin/users')).status).to.equal(403)
    expect((await grace.post(action, { csrfToken, role: 'admin' })).status).to.equal(403)
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Express } from 'express'
import supertest from 'supertest'
import type { AuthConfig } from '../../../lib/index.js'
import { signInAs } from '../../../lib/testing/index.js'
import { SECRET } from '../../support/app.js'
import { loadRecipe, useVariables } from './recipe.js'

interface Tenants {
  readonly app: Express
  readonly configs: ReadonlyMap<string, AuthConfig & { readonly adapter: { close(): Promise<void> } }>
}

const ADA = { name: 'Ada', email: 'ada@example.com' }

describe('examples/recipes/tenants.ts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-tenants-'))
  let recipe: Tenants
  useVariables({ AUTH_SECRET: SECRET })

  before(async () => {
    recipe = await loadRecipe<Tenants>('tenants.ts', (code) => code.replace(/`(\$\{id\}\.db)`/, `\`${folder}/$1\``))
  })
  after(async () => {
    for (const { adapter } of recipe?.configs.values() ?? []) await adapter.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const get = (host: string, path: string, cookie = '') =>
    supertest(recipe.app).get(path).set('Host', host).set('Accept', 'text/html').set('Cookie', cookie)

  /** The cookies of somebody who has signed in at a tenant. */
  async function signIn(host: string) {
    const config = recipe.configs.get(host)
    if (!config) throw new Error(`no tenant at ${host}`)
    return (await signInAs(config, ADA)).cookie
  }

  it('have their own names, colours and clients', async () => {
    const north = await get('north.example', '/auth/signin')
    const south = await get('south.example', '/auth/signin')
    expect(north.text).to.include('North').and.to.include('#0f6b5c').and.not.to.include('South')
    expect(south.text).to.include('South').and.to.include('#8a3ffc').and.not.to.include('North')
  })

  it('sign people in for one tenant only', async () => {
    const cookie = await signIn('north.example')
    expect((await get('north.example', '/', cookie)).text).to.equal('Ada at North')
    const { status, headers } = await get('south.example', '/', cookie)
    expect([status, new URL(headers['location'] ?? '').host]).to.deep.equal([302, 'south.example'])
  })

  it('have users of their own, in databases of their own', async () => {
    const user = async (host: string) => (await recipe.configs.get(host)?.adapter.getUserByEmail?.(ADA.email))?.name
    expect([await user('north.example'), await user('south.example')]).to.deep.equal(['Ada', undefined])
    const cookie = await signIn('south.example')
    expect((await get('south.example', '/', cookie)).text).to.equal('Ada at South')
    expect(await user('south.example')).to.equal('Ada')
  })

  it('are found by a list of hosts, and by nothing else', async () => {
    for (const path of ['/', '/auth/signin']) expect((await get('evil.example', path)).status).to.equal(404)
  })
})

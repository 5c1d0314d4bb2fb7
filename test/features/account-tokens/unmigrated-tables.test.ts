import { expect } from 'chai'
import { migrateToLatest, sqlAdapter } from '../../../lib/adapters/sql.js'
import { sqlite } from '../../adapters/sql/databases.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { accessTokenOf, MARK, openTokenApp, RefreshingProvider, signInAt } from '../../support/refreshing-provider.js'
import { newPerson } from '../../support/sign-ins.js'

describe('tables without the column of the lease', () => {
  it('let people sign in; the first refresh says what is missing, and uses no refresh token up', async () => {
    const idp = await FakeProvider.start()
    const provider = new RefreshingProvider(idp)
    const database = await sqlite.create()
    await migrateToLatest(database.connection)
    await database.run('alter table accounts drop column tokenLease')
    const adapter = sqlAdapter(database.connection)
    const app = openTokenApp(provider, adapter)
    const person = newPerson()
    await signInAt(app, provider, person)
    const ada = await signInAt(app, provider, person)
    expect(await accessTokenOf(app, ada)).to.include({ status: 'ok', accessToken: `${MARK}-access-2` })
    expect(app.log.errors).to.deep.equal([])
    app.clock.advance(3600)
    expect(await accessTokenOf(app, ada)).to.deep.equal({ status: 'unavailable' })
    const [error] = app.log.errors
    expect(error?.name).to.equal('AccountTokenError')
    const cause = (error?.cause as { err?: Error } | undefined)?.err
    expect(`${error?.message} ${cause?.message}`)
      .to.include('no column for tokenLease')
      .and.include('latchkey migrate up')
    expect(provider.used).to.deep.equal([])
    expect(await (await signInAt(app, provider, person)).session()).not.to.equal(null)
    await adapter.close()
    await database.drop()
    await idp.stop()
  })
})

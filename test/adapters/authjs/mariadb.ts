/** The tables that the documentation of @auth/kysely-adapter gives, for MariaDB: texts under the collation that the server has by default. */
export function authjsTables(text = 'varchar(255)'): string[] {
  const owner = `userId ${text} not null references User (id) on delete cascade`
  return [
    `create table User (id ${text} primary key, name ${text}, email ${text} unique, emailVerified datetime(3), image ${text})`,
    `create table Account (id integer, ${owner}, type ${text} not null, provider ${text} not null,
      providerAccountId ${text} not null, refresh_token text, access_token text, expires_at integer,
      token_type ${text}, scope ${text}, id_token text, session_state ${text})`,
    `create table Session (id integer, ${owner}, sessionToken ${text} not null unique, expires datetime(3) not null)`,
    `create table VerificationToken (identifier ${text} not null, token ${text} not null unique, expires datetime(3) not null)`,
  ]
}

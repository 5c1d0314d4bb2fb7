/** A path of passkeys with its methods. */
export default { '/auth/webauthn-options/credentials': 'GET, HEAD' }

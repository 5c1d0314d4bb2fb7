export { guard as onRequest } from './plugin@auth'

'use strict';
// What every Node program below `stepfork replay --block-egress` loads at its start: only loopback is open to it.
const dgram = require('node:dgram');
const dns = require('node:dns');
const net = require('node:net');

const LOCAL = /^(localhost\.?|(::ffff:)?127(\.\d{1,3}){3}|(::ffff:)?0\.0\.0\.0|::1?|)$/i;
const SAID = 'stepfork replay --block-egress: only this machine may be reached, and';

const isLocal = (host) => LOCAL.test(String(host ?? '').split('%')[0]);
const refusal = (text) => Object.assign(new Error(`${SAID} ${text}`), { code: 'EACCES', errno: -13 });
const unasked = (name) => Object.assign(refusal(`${name} is not looked up`), { code: 'EAI_FAIL', hostname: name });

// Where a call of connect() leads: undefined for a socket file.
function hostOf(args) {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (first !== null && typeof first === 'object') return first.path ? undefined : first.host ?? 'localhost';
  if (typeof first === 'string' && !/^\d+$/.test(first)) return undefined;
  return typeof args[1] === 'string' ? args[1] : 'localhost';
}

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const host = hostOf(args);
  if (host === undefined || isLocal(host)) return connect.apply(this, args);
  process.nextTick(() => this.destroy(refusal(`${host} is not on it`)));
  return this;
};

for (const name of ['send', 'connect']) {
  const method = dgram.Socket.prototype[name];
  dgram.Socket.prototype[name] = function (...args) {
    const host = args.slice(1).find((arg) => typeof arg === 'string');
    if (host !== undefined && !isLocal(host)) throw refusal(`${host} is not on it`);
    return method.apply(this, args);
  };
}

// Names are looked up by whoever connects, and by programs that ask a resolver themselves.
for (const [holder, isPromise] of [[dns, false], [dns.promises, true], [dns.Resolver.prototype, false], [dns.promises.Resolver.prototype, true]]) {
  for (const name of Object.getOwnPropertyNames(holder)) {
    if (!/^(lookup|reverse|resolve)/.test(name) || typeof holder[name] !== 'function') continue;
    const ask = holder[name];
    holder[name] = function (host, ...rest) {
      if (isLocal(host) || (name.startsWith('lookup') && net.isIP(String(host)))) return ask.call(this, host, ...rest);
      if (isPromise) return Promise.reject(unasked(host));
      const done = rest.find((one) => typeof one === 'function');
      process.nextTick(() => done?.(unasked(host)));
      return {};
    };
  }
}

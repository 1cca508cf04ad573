// Rates a flow again from billing's explanation of its charge: the same order of operations in IEEE 754 doubles, money in
// BigInt. The numbers are billing's to the last bit; a test in Chromium compares them on all vectors and on random points.
window.viaduct = window.viaduct || {};
viaduct.rating = (() => {
  'use strict';

  // Half to even, as Java's Math.rint. Below 2^53 the difference to the floor is exact.
  const rint = (value) => {
    if (!(Math.abs(value) <= 2 ** 53)) throw new RangeError('an amount within ±2^53 micro-denarii, got ' + value);
    const floor = Math.floor(value);
    const rest = value - floor;
    const up = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
    return BigInt(up ? floor + 1 : floor);
  };
  const ofDenarii = (denarii) => rint(denarii * 1e6);

  // A share of an amount, exact in decimal and then rounded half to even: 10 % of 15 is 2.
  const share = (whole, fraction) => {
    const [mantissa, exponent] = String(fraction).split('e');
    const [units, decimals = ''] = mantissa.split('.');
    const scale = decimals.length - Number(exponent || 0);
    const product = whole * BigInt(units + decimals) * 10n ** BigInt(Math.max(0, -scale));
    const unit = 10n ** BigInt(Math.max(0, scale));
    const floor = product / unit; // whole and fraction are not negative
    const twice = (product - floor * unit) * 2n;
    return twice > unit || (twice === unit && floor % 2n === 1n) ? floor + 1n : floor;
  };

  // Shares that sum to the whole; what rounding leaves goes to the largest remainders, of equal ones to the first.
  const apportion = (whole, weights) => {
    const sum = weights.reduce((a, b) => a + b, 0n);
    if (sum <= 0n) return weights.map(() => 0n);
    const shares = weights.map((weight) => (whole * weight) / sum);
    const rests = weights.map((weight) => (whole * weight) % sum);
    const order = weights.map((_, i) => i).sort((a, b) => (rests[a] === rests[b] ? a - b : rests[a] < rests[b] ? 1 : -1));
    const left = Number(whole - shares.reduce((a, b) => a + b, 0n));
    order.slice(0, left).forEach((i) => { shares[i] += 1n; });
    return shares;
  };

  // Value and integral of a table of [knot, value] at a place.
  const integralTo = (table, upto) => {
    let sum = 0;
    for (let i = 0; i < table.length - 1; i++) {
      const [k0, v0] = table[i];
      const [k1, v1] = table[i + 1];
      if (upto < k1) {
        const slope = (v1 - v0) / (k1 - k0);
        const step = upto - k0;
        const value = v0 + slope * step;
        return { value, area: sum + (v0 + value) * step / 2 };
      }
      sum = sum + (v0 + v1) * (k1 - k0) / 2;
    }
    return { value: 0, area: sum };
  };

  // Utility (den/s), its slopes, and the price of a unit (den/vu) at x kbit/s, d ms and a loss of 0..1.
  const price = (curve, x, d, loss) => {
    const xRef = curve['reference-throughput'];
    const dRef = curve['reference-delay'];
    const m = curve['throughput-marginal'];
    const n = curve['delay-marginal'];
    const areaX = integralTo(m, m[m.length - 1][0]).area;
    const areaD = integralTo(n, n[n.length - 1][0]).area;
    const atX = integralTo(m, x / xRef);
    const atD = integralTo(n, d / dRef);
    const a = atX.area / areaX;
    const b = 1 - atD.area / areaD;
    let g = 1 - curve['loss-slope'] * loss;
    if (g < 0) g = 0;
    const scale = curve.weight * g;
    const utility = scale * a * b;
    const byThroughput = scale * b * (atX.value / (areaX * xRef));
    const byDelay = -(scale * a * (atD.value / (areaD * dRef)));
    let perUnit = byThroughput * curve['kappa-throughput'] + byDelay * curve['kappa-delay'];
    if (perUnit < 0) perUnit = 0;
    return { utility, byThroughput, byDelay, perUnit };
  };

  const bytesOf = (flow) => Number(flow.preBytes);

  // Where the flow is priced, which throughput bounds its charge, for how long, and its part of that.
  const place = (explained) => {
    const { inputs } = explained;
    const bytes = bytesOf(inputs);
    if (explained.point === 'MEASURED') {
      const x = bytes * 8 / inputs.durationMs;
      return { throughput: x, offered: x, served: x, receivedMs: inputs.durationMs, share: 1 };
    }
    let served = 0;
    let room = 0;
    let whole = 0;
    for (const flow of explained.together) {
      served = served + bytesOf(flow) * 8 / inputs.intervalMs;
      whole += bytesOf(flow);
      const known = flow.busy !== null && flow.spareKbitPerSecond !== null;
      room = Math.max(room, known ? (1 - flow.busy) * flow.spareKbitPerSecond : 0);
    }
    return {
      throughput: bytes * 8 / inputs.intervalMs, offered: served + room, served,
      receivedMs: inputs.intervalMs, share: whole === 0 ? 0 : bytes / whole,
    };
  };

  const brokenPromise = (explained, at) => {
    const { inputs, curve, rules } = explained;
    if (bytesOf(inputs) === 0) return null;
    const late = inputs.delaySource === 'MEASURED' && inputs.delayMs > curve['reference-delay'] && rules.refundDelay > 0;
    const slow = inputs.demandEnd === 'SNAPT' && inputs.busy !== null && inputs.busy >= 0.5
      && at.served < curve['reference-throughput'] && rules.refundThroughput > 0;
    if (late && !(slow && rules.refundThroughput > rules.refundDelay)) return { promise: 'DELAY', refund: rules.refundDelay };
    return slow ? { promise: 'THROUGHPUT', refund: rules.refundThroughput } : null;
  };

  // Everything that an explanation says, computed again. Amounts are BigInt micro-denarii.
  const rate = (explained) => {
    const { inputs, curve, rules } = explained;
    const bytes = bytesOf(inputs);
    const at = place(explained);
    const here = price(curve, at.offered, inputs.delayMs, inputs.loss);
    const received = price(curve, at.served, inputs.delayMs, inputs.loss);
    const units = bytes * 8 / 1000 / curve['kappa-throughput'];
    const priced = here.perUnit * units;
    const utility = received.utility * (at.receivedMs / 1000) * at.share;
    if ((explained.carriedByCall ?? null) !== null) { // the call is charged per second
      const bill = { charge: 0n, discount: 0n, reward: 0n, accessFee: 0n, surcharge: 0n, promiseRefund: 0n, net: 0n };
      return { at, here, received, units, priced, utility, broken: null, bill };
    }
    const cap = rules.flowCap === null ? Infinity : rules.flowCap;
    const charge = ofDenarii(Math.min(Math.min(priced, utility), cap));
    const counted = explained.discountBase === 'SERVED' ? bytes : Math.max(0, bytes - Number(inputs.postBytes));
    const gift = rint(Math.min(rules.discountPerMegabyte * counted, rules.discountCap * Number(charge)));
    const reward = { USER: 0n, SHARER: gift, SPLIT: gift / 2n }[explained.discountBeneficiary];
    const discount = gift - reward;
    const minutes = ofDenarii(rules.feePerMinute * (inputs.intervalMs / 60000));
    const accessFee = rint(rules.feePerMegabyte * bytes) + apportion(minutes, rules.reportPreBytes.map(BigInt))[rules.flowIndex];
    const surcharge = rint(rules.surchargePerMegabyte * bytes);
    const broken = brokenPromise(explained, at);
    const promiseRefund = broken ? share(charge - discount, broken.refund) : 0n;
    const net = charge + accessFee + surcharge - discount - promiseRefund;
    return {
      at, here, received, units, priced, utility, broken,
      bill: { charge, discount, reward, accessFee, surcharge, promiseRefund, net },
    };
  };

  return { rate, price, place };
})();

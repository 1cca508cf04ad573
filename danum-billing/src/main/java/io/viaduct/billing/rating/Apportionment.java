package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.MicroDenarii;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/// Shares an amount by weights, so that the shares sum to it. What rounding leaves goes to the
/// largest remainders; of equal ones, to the first.
final class Apportionment {
  private Apportionment() {}

  /// Returns one share for each weight; zeros if no weight is positive.
  static List<MicroDenarii> of(MicroDenarii whole, long[] weights) {
    BigInteger sum =
        Arrays.stream(weights)
            .mapToObj(BigInteger::valueOf)
            .reduce(BigInteger.ZERO, BigInteger::add);
    long[] shares = new long[weights.length];
    if (sum.signum() > 0) {
      BigInteger[] remainders = new BigInteger[weights.length];
      long given = 0;
      for (int i = 0; i < weights.length; i++) {
        BigInteger[] quotient =
            BigInteger.valueOf(whole.value())
                .multiply(BigInteger.valueOf(weights[i]))
                .divideAndRemainder(sum);
        shares[i] = quotient[0].longValueExact();
        remainders[i] = quotient[1];
        given += shares[i];
      }
      IntStream.range(0, weights.length)
          .boxed()
          .sorted(Comparator.comparing((Integer i) -> remainders[i]).reversed())
          .limit(whole.value() - given)
          .forEach(i -> shares[i]++);
    }
    return Arrays.stream(shares).mapToObj(MicroDenarii::new).toList();
  }
}

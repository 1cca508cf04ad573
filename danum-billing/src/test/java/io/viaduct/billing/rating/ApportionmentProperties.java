package io.viaduct.billing.rating;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ledger.MicroDenarii;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class ApportionmentProperties {
  @Property
  void sharesSumToTheWholeAndEachIsWithinOneOfItsExactPart(
      @ForAll @LongRange(max = 1L << 53) long whole,
      @ForAll @Size(min = 1, max = 12) List<@LongRange(max = 1L << 50) Long> weights) {
    long sum = weights.stream().mapToLong(Long::longValue).sum();
    List<MicroDenarii> shares =
        Apportionment.of(
            new MicroDenarii(whole), weights.stream().mapToLong(Long::longValue).toArray());
    assertThat(shares.stream().mapToLong(MicroDenarii::value).sum())
        .isEqualTo(sum == 0 ? 0 : whole);
    for (int i = 0; i < shares.size() && sum > 0; i++) {
      BigDecimal exact =
          BigDecimal.valueOf(whole)
              .multiply(BigDecimal.valueOf(weights.get(i)))
              .divide(BigDecimal.valueOf(sum), MathContext.DECIMAL128);
      assertThat(BigDecimal.valueOf(shares.get(i).value()).subtract(exact).abs())
          .isLessThanOrEqualTo(BigDecimal.ONE);
    }
  }

  @Example
  void whatRoundingLeavesGoesToTheLargestRemaindersAndThenToTheFirst() {
    assertThat(shares(10, 1, 1, 1)).containsExactly(4L, 3L, 3L);
    assertThat(shares(10, 1, 2, 4)).containsExactly(1L, 3L, 6L); // 1.43, 2.86, 5.71
    assertThat(shares(10, 0, 0)).containsExactly(0L, 0L);
  }

  private static List<Long> shares(long whole, long... weights) {
    return Apportionment.of(new MicroDenarii(whole), weights).stream()
        .map(MicroDenarii::value)
        .toList();
  }
}

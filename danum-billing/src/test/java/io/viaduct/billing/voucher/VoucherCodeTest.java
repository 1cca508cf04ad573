package io.viaduct.billing.voucher;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VoucherCodeTest {
  @Test
  void eachOfTwentyPlacesTakesAllOf32CharactersSoACodeHas100RandomBits() {
    SecureRandom random = new SecureRandom();
    Set<String> codes = new HashSet<>();
    Set<String> placed = new HashSet<>();
    for (int i = 0; i < 5000; i++) {
      String code = VoucherCode.draw(random).text();
      codes.add(code);
      IntStream.range(0, code.length()).forEach(p -> placed.add(p + "" + code.charAt(p)));
    }
    assertThat(codes).hasSize(5000);
    // A place that lacks a character after 5000 draws has a probability of 32·20·(31/32)^5000.
    assertThat(placed).hasSize(20 * 32);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "7KQ2M-0XW9T-H3B4C-N8PR1",
        " 7kq2m 0xw9t h3b4c n8prl ",
        "7KQ2MOXW9TH3B4CN8PRI",
        "7kq2m-oxw9t-h3b4c-n8pr1"
      })
  void aCodeIsReadAsPeopleTypeIt(String typed) {
    VoucherCode code = VoucherCode.parse(typed).orElseThrow();
    assertThat(code.printed()).isEqualTo("7KQ2M-0XW9T-H3B4C-N8PR1");
    assertThat(code.toString()).doesNotContain("7KQ2M");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "7KQ2M", "7KQ2M-0XW9T-H3B4C-N8PR1X", "7KQ2M-0XW9T-H3B4C-N8PRU", "ü"})
  void whatCanBeNoCodeIsNone(String typed) {
    assertThat(VoucherCode.parse(typed)).isEmpty();
  }
}

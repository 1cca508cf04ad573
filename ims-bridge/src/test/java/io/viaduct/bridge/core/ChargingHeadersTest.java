package io.viaduct.bridge.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Reads the charging headers of RFC 7315.
class ChargingHeadersTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      textBlock =
          """
          icid-value="Ay+6=02";orig-ioi=home1.net         | Ay+6=02 | ^^
          icid-value=12; icid-generated-at=192.0.2.8      | 12      | 192.0.2.8
          ICID-Value = "x" ; ICID-Generated-At=[2001:db8::1] | x    | [2001:db8::1]
          icid-generated-at=a.b;icid-value=c;icid-value=d | c       | a.b
          """)
  void aVectorKeepsTheIdentifierAndItsMaker(String value, String icid, String maker) {
    assertThat(ChargingVector.parse(value)).isEqualTo(new ChargingVector(icid, maker));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "orig-ioi=home1.net",
        "icid-value=",
        "icid-value",
        "icid-value=\"a b\"",
        "icid-value=\"a;b\"",
        "icid-value=\"a\\\"b\"",
        "icid-value=\u00e4",
        "icid-value=1;icid-generated-at=\"a b\""
      })
  void aVectorThatAReportCannotCarryIsMalformed(String value) {
    assertThatIllegalArgumentException().isThrownBy(() -> ChargingVector.parse(value));
  }

  @Test
  void anIdentifierHasAtMost160Characters() {
    assertThat(new ChargingVector("i".repeat(160), "h").icid()).hasSize(160);
    assertThatIllegalArgumentException().isThrownBy(() -> new ChargingVector("i".repeat(161), "h"));
  }

  @Test
  void functionsOfBothKindsAreKeptInTheirOrder() {
    ChargingAddresses addresses =
        ChargingAddresses.parse(
            List.of(
                "ccf=192.0.2.1; CCF=\"aaa://cdf.ims.test:3868;transport=tcp\";x=1",
                "ecf=[2001:db8::2]"));
    assertThat(addresses.ccf())
        .containsExactly("192.0.2.1", "aaa://cdf.ims.test:3868;transport=tcp");
    assertThat(addresses.ecf()).containsExactly("[2001:db8::2]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ccf=",
        "ecf=\"a b\"",
        "ccf=a;ccf=a;ccf=a;ccf=a;ccf=a",
        "ccf=\"<x>\"",
        "ecf=\u00fc"
      })
  void addressesThatCannotBeUsedAreMalformed(String value) {
    assertThatIllegalArgumentException().isThrownBy(() -> ChargingAddresses.parse(List.of(value)));
  }
}

package io.viaduct.bridge.core;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.sip.SipHeaders;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the charging headers of RFC 7315. Input: the value of a header. Rules:
///
/// - a charging vector is refused, or its ICID fits a report
/// - charging addresses are refused, or are few, and visible characters
final class CoreHeaderFuzz {
  private static final String IN_REPORT = "[\\x21-\\x7e]{1,256}";

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    String value = new String(input, StandardCharsets.UTF_8).replaceAll("[\r\n]", " ");
    try {
      ChargingVector vector = ChargingVector.parse(value);
      if (!vector.icid().matches(IN_REPORT)) {
        throw new AssertionError(value + " is read as " + vector);
      }
    } catch (IllegalArgumentException _) {
      // ignored and counted
    }
    try {
      ChargingAddresses addresses =
          ChargingAddresses.parse(SipHeaders.NONE.with("X", value).values("X"));
      boolean sound =
          addresses.ccf().size() <= 4
              && addresses.ecf().size() <= 4
              && Stream.concat(addresses.ccf().stream(), addresses.ecf().stream())
                  .allMatch(address -> address.matches("[\\x21-\\x7e]{1,255}"));
      if (!sound) {
        throw new AssertionError(value + " is read as " + addresses);
      }
    } catch (IllegalArgumentException _) {
      // ignored and counted
    }
  }

  static List<byte[]> seeds() {
    return Stream.of(
            "icid-value=\"AyretyU0dm+6O2IrT5tAFrbHLso=023551024\";icid-generated-at=192.0.2.8;orig-ioi=home1.net",
            "icid-value=1234;icid-generated-at=[2001:db8::1];term-ioi=\"a;b\"",
            "icid-generated-at=h",
            "icid-value=\"a b\"",
            "icid-value=\"\\\"\"",
            "ICID-VALUE = x ; icid-value = y",
            "ccf=192.0.2.1;ccf=192.0.2.2;ecf=192.0.2.3;ecf=192.0.2.4",
            "ccf=\"aaa://cdf.ims.test:3868;transport=tcp\";ecf=\"aaa://ocs.ims.test:3868;transport=tcp\"",
            "ccf=[5555::b99:c88:d77:e66], ecf=[5555::6aa:7bb:8cc:9dd]",
            "ccf=a;ccf=a;ccf=a;ccf=a;ccf=a",
            "ccf;ecf=;=;;\"",
            "<;icid-value=1")
        .map(text -> text.getBytes(StandardCharsets.UTF_8))
        .toList();
  }
}

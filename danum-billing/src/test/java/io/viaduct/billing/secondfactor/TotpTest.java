package io.viaduct.billing.secondfactor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TotpTest {
  /// The secret of the test values in RFC 4226 and RFC 6238.
  private static final byte[] SECRET = "12345678901234567890".getBytes(StandardCharsets.US_ASCII);

  @ParameterizedTest
  @CsvSource({
    "59, 287082",
    "1111111109, 081804",
    "1111111111, 050471",
    "1234567890, 005924",
    "2000000000, 279037",
    "20000000000, 353130"
  })
  void aCodeIsThatOfTheStandard(long second, String lastDigits) {
    assertThat(Totp.code(SECRET, Totp.step(Instant.ofEpochSecond(second)))).isEqualTo(lastDigits);
  }

  @ParameterizedTest
  @CsvSource({"-2, false", "-1, true", "0, true", "1, true", "2, false"})
  void aCodeIsRightOneStepBeforeAndAfterToo(long steps, boolean isRight) {
    Instant now = Instant.ofEpochSecond(1_111_111_111);
    String code = Totp.code(SECRET, Totp.step(now) + steps);
    assertThat(Totp.stepOf(SECRET, code, now).isPresent()).isEqualTo(isRight);
  }

  @Test
  void theAddressForTheAppHasTheSecretInBase32() {
    assertThat(Totp.uri("Viaduct ims.test", "alice", SECRET))
        .isEqualTo(
            "otpauth://totp/Viaduct%20ims.test:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
                + "&issuer=Viaduct%20ims.test&algorithm=SHA1&digits=6&period=30");
  }
}

package io.viaduct.billing.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.webhook.WebhookSignature.Check;
import io.viaduct.service.configuration.Secret;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WebhookSignatureTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_790_000_000);
  private static final Duration TOLERANCE = Duration.ofMinutes(5);
  private static final byte[] BODY = "{\"id\":\"evt_1\"}".getBytes(UTF_8);

  @TempDir private Path folder;
  private WebhookSignature signature;

  @BeforeEach
  void readSecret() throws Exception {
    signature = of("secret");
  }

  private WebhookSignature of(String secret) throws Exception {
    Path file = Files.writeString(folder.resolve(secret), secret);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return new WebhookSignature(Secret.of(file.toString()));
  }

  @Test
  void signsAsOpensslDoes() {
    // printf '1790000000.{"id":"evt_1"}' | openssl dgst -sha256 -hmac secret
    assertThat(signature.sign(NOW, BODY))
        .isEqualTo(
            "t=1790000000,v1=7fcf48b8959e0f36ebf46850ecb03fdfb15a355e866c0f20bf6a261cbcfb186e");
  }

  @Test
  void acceptsItsOwnSignatureWithinTheToleranceInBothDirections() {
    String header = signature.sign(NOW, BODY);
    for (long seconds : new long[] {-300, 0, 300}) {
      assertThat(signature.check(header, BODY, NOW.plusSeconds(seconds), TOLERANCE))
          .isEqualTo(Check.VALID);
    }
    assertThat(signature.check(header, BODY, NOW.plusSeconds(301), TOLERANCE))
        .isEqualTo(Check.STALE);
    assertThat(signature.check(header, BODY, NOW.minusSeconds(301), TOLERANCE))
        .isEqualTo(Check.STALE);
  }

  @Test
  void refusesAnotherSecretBodyTimeOrForm() throws Exception {
    String header = signature.sign(NOW, BODY);
    assertThat(of("other").check(header, BODY, NOW, TOLERANCE)).isEqualTo(Check.WRONG);
    assertThat(signature.check(header, "{}".getBytes(UTF_8), NOW, TOLERANCE))
        .isEqualTo(Check.WRONG);
    String later = header.replace("t=1790000000", "t=1790000001");
    assertThat(signature.check(later, BODY, NOW, TOLERANCE)).isEqualTo(Check.WRONG);
    for (String form :
        new String[] {
          null, "", "v1=00", header + ",v1=00", header.toUpperCase(), header.substring(0, 40)
        }) {
      assertThat(signature.check(form, BODY, NOW, TOLERANCE)).as(form).isEqualTo(Check.WRONG);
    }
  }
}

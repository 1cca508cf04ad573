package io.viaduct.service.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.service.broker.BrokerSettings.Security;
import io.viaduct.service.tls.TestAuthority;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerSettingsTest {
  private static final List<String> ONE = List.of("kafka.example:9093");
  @TempDir Path folder;

  @Test
  void theCertificatesOfTheProcessAreThoseOfTheClient() throws Exception {
    var tls = new TestAuthority(folder).issue("ims-bridge");
    var properties = new BrokerSettings(ONE, Security.TLS, "", "").properties(tls);
    assertThat(properties)
        .containsEntry("bootstrap.servers", "kafka.example:9093")
        .containsEntry("security.protocol", "SSL");
    assertThat((String) properties.get("ssl.keystore.key")).contains("PRIVATE KEY");
  }

  @Test
  void aUserLogsInByScramWithThePasswordOfTheFile() throws Exception {
    var tls = new TestAuthority(folder).issue("ims-bridge");
    Path secret = TestAuthority.secret(folder.resolve("password"), "a\"b\n");
    var properties =
        new BrokerSettings(ONE, Security.TLS, "bridge", secret.toString()).properties(tls);
    assertThat(properties)
        .containsEntry("security.protocol", "SASL_SSL")
        .containsEntry("sasl.mechanism", "SCRAM-SHA-512");
    assertThat((String) properties.get("sasl.jaas.config")).endsWith("password=\"a\\\"b\";");
  }

  @Test
  void aPasswordIsNeverSentWithoutTlsAndWrongAddressesAreRefused() throws Exception {
    Path secret = TestAuthority.secret(folder.resolve("password"), "secret");
    assertThatThrownBy(
            () -> new BrokerSettings(ONE, Security.PLAINTEXT, "bridge", secret.toString()))
        .hasMessageContaining("security: tls");
    assertThatThrownBy(() -> new BrokerSettings(ONE, Security.TLS, "bridge", ""))
        .hasMessageContaining("password-file");
    assertThatThrownBy(() -> new BrokerSettings(List.of("kafka"), Security.TLS, "", ""))
        .hasMessageContaining("HOST:PORT");
    assertThat(new BrokerSettings(List.of(), Security.TLS, "", "").exists()).isFalse();
  }
}

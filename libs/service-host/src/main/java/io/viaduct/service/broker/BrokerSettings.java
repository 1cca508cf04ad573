package io.viaduct.service.broker;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.viaduct.service.configuration.FileName;
import io.viaduct.service.configuration.Secret;
import io.viaduct.service.tls.TlsSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The configuration keys `broker: {bootstrap, security, user, password-file}` of an Apache Kafka
/// cluster.
///
/// @param bootstrap HOST:PORT of some brokers; empty for no cluster
/// @param security TLS, or plaintext for a test
/// @param user name for SASL with SCRAM-SHA-512; empty for the certificate's name alone
/// @param passwordFile file with the password of that user
public record BrokerSettings(
    List<String> bootstrap, Security security, String user, @FileName String passwordFile) {
  private static final int BOOTSTRAP_MAX = 16;

  /// Protection of the connections.
  public enum Security {
    /// None.
    PLAINTEXT,
    /// TLS 1.3 with the certificates of the process, which the broker may ask for.
    TLS;

    @JsonCreator
    static Security of(String text) {
      for (Security value : values()) {
        if (value.name().equals(text.toUpperCase(Locale.ROOT))) {
          return value;
        }
      }
      throw new IllegalArgumentException("security must be tls or plaintext, got '" + text + "'");
    }
  }

  public BrokerSettings {
    bootstrap = List.copyOf(bootstrap);
    require(
        bootstrap.size() <= BOOTSTRAP_MAX,
        "bootstrap must name at most " + BOOTSTRAP_MAX + " brokers",
        Integer.toString(bootstrap.size()));
    bootstrap.forEach(broker ->
        require(
            broker.matches("[A-Za-z0-9.:\\[\\]-]{1,255}:[0-9]{1,5}"),
            "bootstrap must be HOST:PORT",
            broker));
    require(user.matches("[A-Za-z0-9._-]{0,64}"), "user must match [A-Za-z0-9._-]{0,64}", user);
    require(
        user.isEmpty() || security == Security.TLS,
        "a user needs security: tls, so that its password stays secret",
        user);
    require(
        user.isEmpty() == passwordFile.isEmpty(),
        "user and password-file must be given together",
        user);
    if (!passwordFile.isEmpty()) {
      Secret.of(passwordFile);
    }
  }

  /// Returns whether there is a cluster.
  public boolean exists() {
    return !bootstrap.isEmpty();
  }

  /// Returns the properties of a Kafka client for the connection. They contain secrets.
  ///
  /// @param tls certificate, key and authorities of the process
  /// @throws UncheckedIOException if a file cannot be read
  public Map<String, Object> properties(TlsSettings tls) {
    Map<String, Object> properties = new HashMap<>();
    properties.put("bootstrap.servers", String.join(",", bootstrap));
    if (security == Security.TLS) {
      properties.put("security.protocol", user.isEmpty() ? "SSL" : "SASL_SSL");
      properties.put("ssl.enabled.protocols", "TLSv1.3");
      properties.put("ssl.keystore.type", "PEM");
      properties.put("ssl.keystore.certificate.chain", text(tls.certificate()));
      properties.put("ssl.keystore.key", text(tls.privateKey()));
      properties.put("ssl.truststore.type", "PEM");
      properties.put("ssl.truststore.certificates", text(tls.trust()));
    }
    if (!user.isEmpty()) {
      properties.put("sasl.mechanism", "SCRAM-SHA-512");
      properties.put(
          "sasl.jaas.config",
          "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"%s\" password=\"%s\";"
              .formatted(
                  user,
                  Secret.of(passwordFile).reveal().replace("\\", "\\\\").replace("\"", "\\\"")));
    }
    return properties;
  }

  /// Returns the brokers as text, for logs.
  @Override
  public String toString() {
    return String.join(",", bootstrap);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void require(boolean holds, String rule, String value) {
    if (!holds) {
      throw new IllegalArgumentException(rule + ", got '" + value + "'");
    }
  }
}

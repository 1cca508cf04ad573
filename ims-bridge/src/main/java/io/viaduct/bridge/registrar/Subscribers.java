package io.viaduct.bridge.registrar;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.configuration.Secret;
import io.viaduct.sip.digest.CredentialStore;
import io.viaduct.sip.digest.DigestAlgorithm;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The users of the domain, read once from a file:
///
/// ```yaml
/// subscribers:
///   - {user: alice, password-file: alice.password}
///   - {user: bob, ha1: {sha-256: <64 hex digits>, md5: <32 hex digits>}}
/// ```
///
/// Of a password only H(A1) stays in memory.
public final class Subscribers implements CredentialStore {
  private final Map<String, Map<DigestAlgorithm, String>> ha1ByUser;

  private Subscribers(Map<String, Map<DigestAlgorithm, String>> ha1ByUser) {
    this.ha1ByUser = Map.copyOf(ha1ByUser);
  }

  /// The file's shape.
  record Document(List<Subscriber> subscribers) {}

  /// One user.
  record Subscriber(String user, Optional<Secret> password, Map<String, String> ha1) {
    private static final Set<String> KEYS = Set.of("user", "password-file", "ha1");

    Subscriber {
      if (!user.matches("[A-Za-z0-9._-]{1,64}")) {
        throw new IllegalArgumentException(
            "user must be 1..64 letters, digits, '.', '_' or '-', got '" + user + "'");
      }
      if (password.isPresent() != ha1.isEmpty()) {
        throw new IllegalArgumentException(
            "give either password-file or ha1 for user " + user + ", not both or none");
      }
      ha1.forEach(Subscriber::check);
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Subscriber of(Map<String, Object> given) {
      for (String key : given.keySet()) {
        if (!KEYS.contains(key)) {
          throw new IllegalArgumentException(
              "unknown key '" + key + "'; known keys: user, password-file, ha1");
        }
      }
      Map<String, String> known = new HashMap<>();
      if (given.get("ha1") instanceof Map<?, ?> hashes) {
        hashes.forEach((name, value) -> known.put(String.valueOf(name), String.valueOf(value)));
      }
      return new Subscriber(
          String.valueOf(given.getOrDefault("user", "")),
          Optional.ofNullable(given.get("password-file")).map(f -> Secret.of(f.toString())),
          known);
    }

    private static void check(String algorithm, String value) {
      int digits =
          switch (algorithm) {
            case "sha-256" -> 64;
            case "md5" -> 32;
            default ->
                throw new IllegalArgumentException(
                    "ha1 must be given for sha-256 or md5, got " + algorithm);
          };
      if (!value.matches("[0-9a-f]{" + digits + "}")) {
        throw new IllegalArgumentException(
            "ha1 for " + algorithm + " must be " + digits + " lower-case hex digits");
      }
    }

    Map<DigestAlgorithm, String> hashes(String realm) {
      Map<DigestAlgorithm, String> hashes = new HashMap<>();
      for (DigestAlgorithm algorithm : DigestAlgorithm.values()) {
        password.ifPresent(
            secret -> hashes.put(algorithm, algorithm.ha1(user, realm, secret.reveal())));
        String given = ha1.get(algorithm.token().toLowerCase(Locale.ROOT));
        if (given != null) {
          hashes.put(algorithm, given);
        }
      }
      return Map.copyOf(hashes);
    }
  }

  /// Reads the file.
  ///
  /// @param realm the domain, part of every H(A1)
  /// @throws ConfigurationException naming file, key and rule
  public static Subscribers load(Path file, String realm) {
    Document document = ConfigurationFile.load(file, Document.class);
    Map<String, Map<DigestAlgorithm, String>> known = new HashMap<>();
    for (Subscriber subscriber : document.subscribers) {
      if (known.put(subscriber.user, subscriber.hashes(realm)) != null) {
        throw new ConfigurationException(
            file + ": user '" + subscriber.user + "' must be given once");
      }
    }
    return new Subscribers(known);
  }

  public boolean contains(String user) {
    return ha1ByUser.containsKey(user);
  }

  public int size() {
    return ha1ByUser.size();
  }

  @Override
  public Optional<String> ha1(String user, DigestAlgorithm algorithm) {
    return Optional.ofNullable(ha1ByUser.get(user)).map(known -> known.get(algorithm));
  }
}

package io.viaduct.billing.provisioning;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.Passwords;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.configuration.Secret;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A file of users to import:
///
/// ```yaml
/// subscribers:
///   - {user: alice, password-file: alice.password}
///   - {user: bob, ha1: {sha-256: <64 hex digits>, md5: <32 hex digits>}}
/// overwrite: false
/// ```
///
/// @param subscribers the users, each once
/// @param overwrite true if these secrets replace those that a user has already
record SubscriberFile(List<Entry> subscribers, boolean overwrite) {
  SubscriberFile {
    Set<String> seen = new HashSet<>();
    for (Entry entry : subscribers) {
      if (!seen.add(entry.user)) {
        throw new IllegalArgumentException("user '" + entry.user + "' must be given once");
      }
    }
    subscribers = List.copyOf(subscribers);
  }

  /// Reads and checks the whole file.
  ///
  /// @throws ConfigurationException naming file, user and rule
  static SubscriberFile read(Path file) {
    return ConfigurationFile.load(file, SubscriberFile.class);
  }

  /// One user, with a password or with digests that another program derived.
  record Entry(String user, Optional<Secret> password, Optional<Ha1> ha1) {
    private static final Set<String> KEYS = Set.of("user", "password-file", "ha1");

    Entry {
      if (!user.matches(Account.ID_PATTERN)) {
        throw new IllegalArgumentException(
            "user must be 1 to 64 letters, digits, '.', '_' or '-', got '" + user + "'");
      }
      if (password.isPresent() == ha1.isPresent()) {
        throw new IllegalArgumentException(
            "give either password-file or ha1 for user '" + user + "', not both or none");
      }
      if (password.isPresent() && !Passwords.isAcceptable(password.get().reveal())) {
        throw new IllegalArgumentException("the password of user '" + user + "' " + Passwords.RULE);
      }
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Entry of(Map<String, Object> given) {
      for (String key : given.keySet()) {
        if (!KEYS.contains(key)) {
          throw new IllegalArgumentException(
              "unknown key '" + key + "'; known keys: user, password-file, ha1");
        }
      }
      String user = String.valueOf(given.getOrDefault("user", ""));
      return new Entry(
          user,
          Optional.ofNullable(given.get("password-file")).map(file -> Secret.of(file.toString())),
          Optional.ofNullable(given.get("ha1")).map(hashes -> ha1(user, hashes)));
    }

    private static Ha1 ha1(String user, Object given) {
      if (!(given instanceof Map<?, ?> hashes)
          || hashes.isEmpty()
          || !Set.of("sha-256", "md5").containsAll(hashes.keySet())) {
        throw new IllegalArgumentException(
            "ha1 of user '" + user + "' must be {sha-256: ..., md5: ...}, or one of both");
      }
      return new Ha1(
          hash(user, "sha-256", 64, hashes.get("sha-256")),
          hash(user, "md5", 32, hashes.get("md5")));
    }

    private static byte @Nullable [] hash(
        String user, String algorithm, int digits, @Nullable Object value) {
      if (value == null) {
        return null;
      }
      if (!value.toString().matches("[0-9a-fA-F]{" + digits + "}")) {
        throw new IllegalArgumentException(
            "ha1 %s of user '%s' must be %d hexadecimal digits; quote it if it has digits only"
                .formatted(algorithm, user, digits));
      }
      return HexFormat.of().parseHex(value.toString());
    }
  }
}

package io.viaduct.billing.provisioning;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.Passwords;
import io.viaduct.billing.account.Role;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.configuration.PrivateFile;
import io.viaduct.service.configuration.Secret;
import java.io.IOException;
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
///   - {user: eve, name: Eve E., role: auditor, password-file: eve.password}
///   - {user: bob, ha1: {sha-256: <64 hex digits>, md5: <32 hex digits>}}
///   - {user: carol, card: {k: <32 hex digits>, opc: <32 hex digits>, amf: "8000"}}
/// overwrite: false
/// ```
///
/// A file with keys of cards must be private.
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
    SubscriberFile users = ConfigurationFile.load(file, SubscriberFile.class);
    if (users.subscribers.stream().anyMatch(entry -> entry.card.isPresent())) {
      requirePrivate(file);
    }
    return users;
  }

  private static void requirePrivate(Path file) {
    try {
      PrivateFile.require(file);
    } catch (IllegalArgumentException | IOException e) {
      throw new ConfigurationException(
          "%s has keys of cards: %s".formatted(file, String.valueOf(e.getMessage())));
    }
  }

  /// One user, with a password or with digests that another program derived, with the keys of a
  /// card, or with both.
  ///
  /// @param name name for people; the id if it is left out
  /// @param role role of a new account; an existing one keeps its role
  /// @param card keys for AKA, beside the password or alone
  record Entry(
      String user,
      String name,
      Role role,
      Optional<Secret> password,
      Optional<Ha1> ha1,
      Optional<Card> card) {
    private static final Set<String> KEYS =
        Set.of("user", "name", "role", "password-file", "ha1", "card");
    private static final Set<String> CARD_KEYS = Set.of("k", "opc", "op", "amf");
    private static final int NAME_LENGTH_MAX = 128;

    Entry {
      if (!user.matches(Account.ID_PATTERN)) {
        throw new IllegalArgumentException(
            "user must be 1 to 64 letters, digits, '.', '_' or '-', got '" + user + "'");
      }
      if (name.isBlank()
          || name.length() > NAME_LENGTH_MAX
          || name.codePoints().anyMatch(Character::isISOControl)) {
        throw new IllegalArgumentException(
            "the name of user '"
                + user
                + "' must have 1 to 128 characters and no control character");
      }
      if (password.isPresent() ? ha1.isPresent() : ha1.isEmpty() && card.isEmpty()) {
        throw new IllegalArgumentException(
            "give either password-file or ha1 for user '"
                + user
                + "', not both; none only with a card");
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
              "unknown key '" + key + "'; known keys: user, name, role, password-file, ha1, card");
        }
      }
      String user = String.valueOf(given.getOrDefault("user", ""));
      return new Entry(
          user,
          String.valueOf(given.getOrDefault("name", user)),
          role(user, String.valueOf(given.getOrDefault("role", Role.USER.word()))),
          Optional.ofNullable(given.get("password-file")).map(file -> Secret.of(file.toString())),
          Optional.ofNullable(given.get("ha1")).map(hashes -> ha1(user, hashes)),
          Optional.ofNullable(given.get("card")).map(keys -> card(user, keys)));
    }

    private static Role role(String user, String word) {
      try {
        return Role.of(word);
      } catch (IllegalArgumentException _) {
        throw new IllegalArgumentException(
            "role of user '"
                + user
                + "' must be user, operator, auditor or snapt-owner, got '"
                + word
                + "'");
      }
    }

    // No refusal repeats a value: all are secrets.
    private static Card card(String user, Object given) {
      if (!(given instanceof Map<?, ?> keys)
          || !keys.containsKey("k")
          || !CARD_KEYS.containsAll(keys.keySet())) {
        throw new IllegalArgumentException(
            "card of user '" + user + "' must be {k: ..., opc: ... or op: ..., amf: ...}");
      }
      try {
        return Card.of(
            String.valueOf(keys.get("k")),
            text(keys.get("opc")),
            text(keys.get("op")),
            text(keys.get("amf")));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "card of user '%s': %s; quote a value that has digits only"
                .formatted(user, e.getMessage()));
      }
    }

    private static @Nullable String text(@Nullable Object value) {
      return value == null ? null : value.toString();
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

package io.viaduct.service.operations;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.configuration.Secret;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The actions that an operator may do over TCP with a bearer token (RFC 6750). Without a token
/// nobody may.
public final class OperatorAccess {
  private static final String SCHEME = "Bearer ";

  /// The reasons for a refusal.
  public enum Refusal {
    /// No `operations.token-file` is configured.
    NOT_CONFIGURED,
    /// The request has no bearer token.
    NO_TOKEN,
    /// The request has another token.
    WRONG_TOKEN
  }

  private final Map<String, OperationsAction> actions;
  private final byte @Nullable [] token;
  private final LabelledCounters<Refusal> refusals;

  /// @param actions by path, such as `/drain`
  /// @param token empty: every action is refused
  public OperatorAccess(
      Map<String, OperationsAction> actions, Optional<Secret> token, MeterRegistry registry) {
    this.actions = Map.copyOf(actions);
    this.token = token.map(secret -> secret.reveal().getBytes(UTF_8)).orElse(null);
    this.refusals =
        LabelledCounters.register(
            registry,
            "viaduct_operations_refused",
            "Refused actions at the operations port, by reason",
            "reason",
            Refusal.class);
  }

  Map<String, OperationsAction> actions() {
    return actions;
  }

  /// Checks the header Authorization of a request, and counts a refusal. The comparison takes the
  /// same time for every wrong token.
  ///
  /// @return empty if the request may act
  Optional<Refusal> refusal(@Nullable String authorization) {
    byte[] wanted = token;
    Refusal why;
    if (wanted == null) {
      why = Refusal.NOT_CONFIGURED;
    } else if (authorization == null
        || !authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      why = Refusal.NO_TOKEN;
    } else if (!MessageDigest.isEqual(
        authorization.substring(SCHEME.length()).strip().getBytes(UTF_8), wanted)) {
      why = Refusal.WRONG_TOKEN;
    } else {
      return Optional.empty();
    }
    refusals.increment(why);
    return Optional.of(why);
  }
}

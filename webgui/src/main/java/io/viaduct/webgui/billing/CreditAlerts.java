package io.viaduct.webgui.billing;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import io.viaduct.webgui.peer.JsonPeer.Tagged;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import tools.jackson.databind.JsonNode;

/// Billing's REST interface for what a user sets about the own credit, and for what billing has
/// told the user.
public final class CreditAlerts {
  private final JsonPeer peer;

  public CreditAlerts(JsonPeer peer) {
    this.peer = peer;
  }

  /// Threshold that the user has set.
  ///
  /// @param state `sufficient`, `low` or `exhausted`
  /// @param lowMicrodenarii credit below which to be told, null for the operator's threshold
  public record Rules(
      String state,
      MicroDenarii availableMicrodenarii,
      AccountCredit.Caps caps,
      @Nullable MicroDenarii lowMicrodenarii) {
    public Rules {
      state = known(state);
      Objects.requireNonNull(availableMicrodenarii);
      Objects.requireNonNull(caps);
    }
  }

  /// Notices that the user was sent.
  ///
  /// @param state the new state of the credit
  public record Notice(String state, MicroDenarii creditMicrodenarii, Instant noticedAt) {
    public Notice {
      state = known(state);
      Objects.requireNonNull(creditMicrodenarii);
      Objects.requireNonNull(noticedAt);
    }
  }

  /// A page of notices, latest first.
  public record Notices(List<Notice> notices, @Nullable String next) {
    public Notices {
      notices = List.copyOf(notices);
    }
  }

  private static String known(@Nullable String state) {
    String word = String.valueOf(state).toLowerCase(Locale.ROOT);
    return Set.of("low", "exhausted").contains(word) ? word : "sufficient";
  }

  public Tagged<Rules> rules(BearerToken token, String account) {
    return peer.getTagged(at(account), token, Rules.class);
  }

  /// @param tag tag of the rules as the user saw them
  /// @param day null for no cap; likewise `month`
  public void setCaps(
      BearerToken token,
      String account,
      String tag,
      @Nullable MicroDenarii day,
      @Nullable MicroDenarii month) {
    Map<String, String> caps = new HashMap<>();
    put(caps, "dayMicrodenarii", day);
    put(caps, "monthMicrodenarii", month);
    change(token, account, "/caps", tag, caps);
  }

  /// @param low null for the operator's threshold
  public void setAlert(BearerToken token, String account, String tag, @Nullable MicroDenarii low) {
    Map<String, String> alert = new HashMap<>();
    put(alert, "lowMicrodenarii", low);
    change(token, account, "/alert", tag, alert);
  }

  private static void put(Map<String, String> body, String key, @Nullable MicroDenarii amount) {
    if (amount != null) {
      body.put(key, amount.json());
    }
  }

  private void change(
      BearerToken token, String account, String what, String tag, Map<String, String> body) {
    var unused = peer.replace(HttpMethod.PUT, at(account) + what, token, tag, body, JsonNode.class);
  }

  public Notices notices(BearerToken token, String account, int limit, @Nullable String cursor) {
    String next = cursor == null || cursor.isBlank() ? "" : "&cursor=" + Billing.encode(cursor);
    return peer.get(at(account) + "/notices?limit=" + limit + next, token, Notices.class);
  }

  private static String at(String account) {
    return "/accounts/" + Billing.encode(account) + "/credit";
  }
}

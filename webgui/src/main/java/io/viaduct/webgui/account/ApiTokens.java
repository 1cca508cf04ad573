package io.viaduct.webgui.account;

import static io.viaduct.webgui.peer.JsonPeer.authorized;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriComponentsBuilder;

/// Billing's REST interface for tokens of programs.
public final class ApiTokens {
  /// Scopes that a token may have, in the order of the form.
  public static final List<String> SCOPES =
      List.of("read", "accounts", "money", "tariffs", "snapts", "reports", "webhooks");

  private final JsonPeer peer;

  public ApiTokens(JsonPeer peer) {
    this.peer = peer;
  }

  /// A token as it is listed.
  ///
  /// @param lastUsedAt null if it was never used
  /// @param revokedAt null while it is not revoked
  public record ApiToken(
      String id,
      @Nullable String name,
      List<String> scopes,
      Instant createdAt,
      Instant expiresAt,
      @Nullable Instant lastUsedAt,
      @Nullable Instant revokedAt) {
    public ApiToken {
      Objects.requireNonNull(id);
      Objects.requireNonNull(expiresAt);
      scopes = List.copyOf(scopes);
    }
  }

  /// @param next cursor of the following page, null on the last page
  public record Page(List<ApiToken> tokens, @Nullable String next) {
    public Page {
      tokens = List.copyOf(tokens);
    }
  }

  record Made(String token) {
    Made {
      Objects.requireNonNull(token);
    }

    @Override
    public String toString() {
      return "Made[]";
    }
  }

  Page list(BearerToken token, String account, int limit, @Nullable String cursor) {
    return peer.get(
        UriComponentsBuilder.fromPath(path(account))
            .queryParam("limit", limit)
            .queryParam("cursor", cursor == null ? "" : cursor)
            .toUriString(),
        token,
        Page.class);
  }

  /// Returns the new token itself, which billing does not show again.
  String make(
      BearerToken token, String account, String name, List<String> scopes, Instant expiresAt) {
    return peer.post(
            path(account),
            authorized(token),
            Map.of("name", name, "scopes", scopes, "expiresAt", expiresAt.toString()),
            Made.class)
        .token();
  }

  void revoke(BearerToken token, String account, String id) {
    peer.delete(
        UriComponentsBuilder.fromPath(path(account) + "/{token}")
            .encode()
            .buildAndExpand(id)
            .toUriString(),
        token);
  }

  private static String path(String account) {
    return UriComponentsBuilder.fromPath("/accounts/{account}/tokens")
        .encode()
        .buildAndExpand(account)
        .toUriString();
  }
}

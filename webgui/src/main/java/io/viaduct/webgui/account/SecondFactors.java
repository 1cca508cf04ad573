package io.viaduct.webgui.account;

import static io.viaduct.webgui.peer.JsonPeer.authorized;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.http.HttpMethod;
import org.springframework.web.util.UriComponentsBuilder;

/// Billing's REST interface for second factors.
public final class SecondFactors {
  private final JsonPeer peer;

  public SecondFactors(JsonPeer peer) {
    this.peer = peer;
  }

  /// The second factor of an account.
  ///
  /// @param state `off`, `pending` or `on`
  public record SecondFactor(String state, boolean required, int recoveryCodes) {
    public SecondFactor {
      Objects.requireNonNull(state);
    }
  }

  /// A new secret. It stays in the server's memory until it is confirmed.
  record Secret(String secret, String uri) {
    Secret {
      Objects.requireNonNull(secret);
      Objects.requireNonNull(uri);
    }

    @Override
    public String toString() {
      return "Secret[]";
    }
  }

  record Codes(List<String> recoveryCodes) {
    Codes {
      recoveryCodes = List.copyOf(recoveryCodes);
    }

    @Override
    public String toString() {
      return "Codes[]";
    }
  }

  SecondFactor get(BearerToken token, String account) {
    return peer.get(path(account), token, SecondFactor.class);
  }

  Secret begin(BearerToken token, String account) {
    return peer.post(path(account), authorized(token), Map.of(), Secret.class);
  }

  List<String> confirm(BearerToken token, String account, String code) {
    return peer.put(path(account), token, Map.of("code", code), Codes.class).recoveryCodes();
  }

  void end(BearerToken token, String account, String code) {
    peer.send(HttpMethod.POST, path(account) + "/end", token, Map.of("code", code));
  }

  void reset(BearerToken token, String account) {
    peer.delete(path(account), token);
  }

  private static String path(String account) {
    return UriComponentsBuilder.fromPath("/accounts/{account}/second-factor")
        .encode()
        .buildAndExpand(account)
        .toUriString();
  }
}

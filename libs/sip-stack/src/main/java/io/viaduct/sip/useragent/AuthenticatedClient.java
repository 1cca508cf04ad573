package io.viaduct.sip.useragent;

import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.digest.DigestClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Sends requests and answers challenges to them. A request is sent at most three times: as it is
/// (or with the last nonce), with credentials, and once more if the server says that the nonce was
/// stale.
final class AuthenticatedClient {
  private static final int SENDS_MAX = 3;

  private final RequestSender endpoint;
  private final DigestClient digest;
  private final Executor owner;

  AuthenticatedClient(RequestSender endpoint, DigestClient digest, Executor owner) {
    this.endpoint = endpoint;
    this.digest = digest;
    this.owner = owner;
  }

  /// Returns the reason of a missing answer, for people.
  static String reason(@Nullable Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException e && e.getCause() != null ? e.getCause() : failure;
    return cause == null ? "no answer" : String.valueOf(cause.getMessage());
  }

  /// Sends a request until it is answered by something else than a challenge.
  ///
  /// @param next builds the request, each time with the next CSeq; called on the owner's thread
  CompletableFuture<SipResponse> send(Supplier<SipRequest> next, SipFlow flow) {
    return send(next, flow, 1);
  }

  private CompletableFuture<SipResponse> send(Supplier<SipRequest> next, SipFlow flow, int sends) {
    return endpoint
        .send(digest.authorize(next.get()), flow)
        .thenComposeAsync(
            response -> {
              if (!digest.acceptChallenge(response)) {
                return CompletableFuture.completedFuture(response);
              }
              boolean refused = sends > 1 && !digest.isStale(response);
              if (refused || sends == SENDS_MAX) {
                digest.forget();
                return CompletableFuture.completedFuture(response);
              }
              return send(next, flow, sends + 1);
            },
            owner);
  }
}

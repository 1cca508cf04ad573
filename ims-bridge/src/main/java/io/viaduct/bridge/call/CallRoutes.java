package io.viaduct.bridge.call;

import io.viaduct.sip.NameAddress;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.SipUri;
import io.viaduct.sip.Transport;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// Writes the Record-Route of calls, and reads it where requests bring it back (RFC 3261 sections
/// 16.4 and 16.6). Its URI is `sip:TOKEN@bridge;lr`. The token is a [CallRoute], sealed (AES-GCM):
/// an end does not learn from it where the other one is registered from. The key depends on Call-ID
/// and the caller's tag, so only who got the dialog's messages can send requests inside it, and a
/// random nonce is enough, however many calls a bridge has carried (ADR 0089).
final class CallRoutes {
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BYTES = 16;
  private static final String ALGORITHM = "HmacSHA256";

  private final SecureRandom random = new SecureRandom();
  private final SecretKey key;
  private final String self;

  /// @param secret of this bridge; another bridge with the same one takes these routes too
  /// @param self name of this bridge: the routes say whose flows they have
  CallRoutes(byte[] secret, String self) {
    this.self = self;
    try {
      key =
          KDF.getInstance("HKDF-SHA256")
              .deriveKey(
                  ALGORITHM,
                  HKDFParameterSpec.ofExtract()
                      .addIKM(secret)
                      .thenExpand(
                          "viaduct sealed call route".getBytes(StandardCharsets.UTF_8), 32));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HKDF-SHA256", e);
    }
  }

  /// A request inside a call.
  ///
  /// @param request without the Route of this hop
  /// @param isFromCaller whether the caller has sent it
  record Inside(CallRoute route, SipRequest request, boolean isFromCaller) {}

  /// Returns the token for the dialogs of an INVITE.
  String token(CallRoute route, SipRequest invite) {
    byte[] text = route.told(self).text().getBytes(StandardCharsets.UTF_8);
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    byte[] sealed;
    try {
      sealed =
          cipher(Cipher.ENCRYPT_MODE, nonce, invite.callId(), invite.from().tag()).doFinal(text);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has AES-GCM", e);
    }
    byte[] whole = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
    System.arraycopy(sealed, 0, whole, NONCE_BYTES, sealed.length);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(whole);
  }

  /// Returns the value of Record-Route for the end that a flow leads to.
  static String recordRoute(String token, RequestSender endpoint, SipFlow flow) {
    String transport =
        flow.transport() == Transport.UDP ? "" : ";transport=" + flow.transport().parameter();
    return "<sip:%s@%s%s;lr>".formatted(token, endpoint.sentBy(flow), transport);
  }

  /// Returns a response with the Record-Route of this hop as the end needs it that the response
  /// goes to (RFC 3261 section 16.7 step 8).
  static SipResponse withRecordRoute(SipResponse response, String token, String value) {
    List<String> routes = response.headers().values("Record-Route");
    if (routes.stream().noneMatch(each -> isOf(each, token) && !each.equals(value))) {
      return response;
    }
    SipHeaders next = response.headers().without("Record-Route");
    for (String route : routes) {
      next = next.with("Record-Route", isOf(route, token) ? value : route);
    }
    return response.withHeaders(next);
  }

  private static boolean isOf(String route, String token) {
    return user(route).filter(token::equals).isPresent();
  }

  /// Reads a request inside a call; empty if it has no Route of a call of this bridge.
  Optional<Inside> read(SipRequest request) {
    List<String> routes = request.headers().values("Route");
    for (int i = 0; i < routes.size(); i++) {
      Optional<Known> known = known(routes.get(i), request);
      if (known.isPresent()) {
        // A Route before it is that of an outbound proxy, which this bridge is.
        List<String> left = routes.subList(i + 1, routes.size());
        return Optional.of(known.get().inside(request, request.uri(), left));
      }
    }
    // A strict router has put the Route of this hop into the Request-URI (section 16.4).
    try {
      return routes.isEmpty()
          ? Optional.empty()
          : known(request.uri(), request)
              .map(known ->
                  known.inside(
                      request, uri(routes.getLast()), routes.subList(0, routes.size() - 1)));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // the last Route is no address
    }
  }

  private record Known(CallRoute route, boolean isFromCaller) {
    Inside inside(SipRequest request, String uri, List<String> left) {
      SipHeaders headers = request.headers().without("Route");
      SipHeaders next = left.isEmpty() ? headers : headers.with("Route", String.join(", ", left));
      return new Inside(
          route, new SipRequest(request.method(), uri, next, request.body()), isFromCaller);
    }
  }

  /// Checks the token of an address against the dialog of a request.
  private Optional<Known> known(String address, SipRequest request) {
    byte[] whole;
    try {
      whole = Base64.getUrlDecoder().decode(user(address).orElse(""));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    if (whole.length <= NONCE_BYTES + TAG_BYTES) {
      return Optional.empty();
    }
    return opened(whole, request.callId(), request.from().tag())
        .map(route -> new Known(route, true))
        .or(() ->
            opened(whole, request.callId(), request.to().tag())
                .map(route -> new Known(route, false)));
  }

  private Optional<CallRoute> opened(byte[] whole, String callId, String callerTag) {
    byte[] nonce = Arrays.copyOf(whole, NONCE_BYTES);
    try {
      byte[] text =
          cipher(Cipher.DECRYPT_MODE, nonce, callId, callerTag)
              .doFinal(whole, NONCE_BYTES, whole.length - NONCE_BYTES);
      return CallRoute.parse(new String(text, StandardCharsets.UTF_8))
          .map(route -> route.heard(self));
    } catch (AEADBadTagException e) {
      return Optional.empty();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has AES-GCM", e);
    }
  }

  private static Optional<String> user(String address) {
    try {
      return Optional.of(SipUri.parse(uri(address)).user());
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static String uri(String address) {
    return NameAddress.parse(address).uri();
  }

  private Cipher cipher(int mode, byte[] nonce, String callId, String callerTag)
      throws GeneralSecurityException {
    Mac ofDialog = Mac.getInstance(ALGORITHM);
    ofDialog.init(key);
    byte[] octets = ofDialog.doFinal((callId + "\n" + callerTag).getBytes(StandardCharsets.UTF_8));
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, new SecretKeySpec(octets, "AES"), new GCMParameterSpec(TAG_BYTES * 8, nonce));
    return cipher;
  }
}

package io.viaduct.billing.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/// The part of an OpenID Connect provider that billing asks: discovery and keys over real HTTP, and
/// ID tokens with real signatures.
public final class TestProvider implements AutoCloseable {
  private final HttpServer server;
  private volatile ECKey key = key("first");
  private volatile boolean failing;

  public TestProvider() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    answer("/.well-known/openid-configuration", this::discovery);
    answer("/keys", () -> new JWKSet(key.toPublicJWK()).toString());
    server.start();
  }

  private void answer(String path, java.util.function.Supplier<String> body) {
    server.createContext(
        path,
        exchange -> {
          try (exchange) {
            byte[] bytes = body.get().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(failing ? 500 : 200, bytes.length);
            exchange.getResponseBody().write(bytes);
          }
        });
  }

  public String issuer() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private String discovery() {
    return """
    {"issuer":"%1$s","jwks_uri":"%1$s/keys","authorization_endpoint":"%1$s/authorize",
     "token_endpoint":"%1$s/token","subject_types_supported":["public"],
     "response_types_supported":["code"],"id_token_signing_alg_values_supported":["ES256"]}
    """
        .formatted(issuer());
  }

  /// From now on the provider answers, or fails.
  public void failing(boolean fails) {
    failing = fails;
  }

  public String sign(JWTClaimsSet claims) {
    return sign(claims, key);
  }

  public static String sign(JWTClaimsSet claims, ECKey key) {
    try {
      SignedJWT token =
          new SignedJWT(
              new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(key.getKeyID()).build(), claims);
      token.sign(new ECDSASigner(key));
      return token.serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  public static ECKey key(String id) {
    try {
      return new ECKeyGenerator(Curve.P_256).keyID(id).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Replaces the key, as providers do from time to time.
  public void newKey() {
    key = key("second");
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

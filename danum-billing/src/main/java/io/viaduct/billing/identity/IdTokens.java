package io.viaduct.billing.identity;

import io.viaduct.billing.configuration.OidcSettings;
import io.viaduct.service.digest.Sha256;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtDecoderInitializationException;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.SupplierJwtDecoder;
import org.springframework.web.client.RestTemplate;

/// Verifies ID tokens (OpenID Connect Core 1.0, section 3.1.3.7): signature by a key that the
/// provider publishes, issuer, audience, authorized party and time. Each token is accepted once.
/// The provider's configuration is read at the first token, so that billing starts without the
/// provider.
public final class IdTokens {
  /// Greatest age of a token. The pages send one at once.
  static final Duration AGE_MAX = Duration.ofMinutes(5);

  static final Duration SKEW = Duration.ofMinutes(1);

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final JdbcClient jdbc;
  private final JwtDecoder decoder;

  IdTokens(JdbcClient jdbc, OidcSettings provider, InstantSource clock) {
    this.jdbc = jdbc;
    decoder = new SupplierJwtDecoder(() -> decoder(provider, clock));
  }

  /// A token was not accepted.
  public static final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RefusedException(String reason) {
      super(reason, null, false, false);
    }
  }

  /// The provider did not answer, so the token could not be verified.
  public static final class ProviderAwayException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ProviderAwayException(Throwable cause) {
      super("the provider of log-ins does not answer: " + cause.getMessage(), cause);
    }
  }

  private static JwtDecoder decoder(OidcSettings provider, InstantSource clock) {
    SimpleClientHttpRequestFactory connections = new SimpleClientHttpRequestFactory();
    connections.setConnectTimeout(PATIENCE);
    connections.setReadTimeout(PATIENCE);
    NimbusJwtDecoder decoder =
        NimbusJwtDecoder.withIssuerLocation(provider.issuer())
            .restOperations(new RestTemplate(connections))
            .build();
    JwtTimestampValidator times = new JwtTimestampValidator(SKEW);
    times.setClock(clock.withZone(ZoneOffset.UTC));
    decoder.setJwtValidator(
        new DelegatingOAuth2TokenValidator<>(
            new JwtIssuerValidator(provider.issuer()),
            times,
            rule("is too old", token -> isYoung(token, clock.instant())),
            rule("is for another client", token -> isFor(provider.clientId(), token)),
            rule("has no subject", token -> token.getSubject() != null)));
    return decoder;
  }

  private static OAuth2TokenValidator<Jwt> rule(
      String broken, java.util.function.Predicate<Jwt> holds) {
    return token ->
        holds.test(token)
            ? OAuth2TokenValidatorResult.success()
            : OAuth2TokenValidatorResult.failure(new OAuth2Error("invalid_token", broken, null));
  }

  private static boolean isYoung(Jwt token, Instant now) {
    Instant issued = token.getIssuedAt();
    return issued != null && !issued.isBefore(now.minus(AGE_MAX)) && token.getExpiresAt() != null;
  }

  private static boolean isFor(String client, Jwt token) {
    List<String> audience = token.getAudience();
    String party = token.getClaimAsString("azp");
    return audience != null
        && audience.contains(client)
        && (party == null ? audience.size() == 1 : party.equals(client));
  }

  /// Verifies a token and uses it up.
  ///
  /// @throws RefusedException if it is not valid, or was used before
  /// @throws ProviderAwayException if the provider's keys cannot be read
  public Jwt accept(String token, Instant now) {
    Jwt verified = verify(token);
    jdbc.sql("delete from used_id_token where expires_at <= ?").param(Timestamp.from(now)).update();
    int first =
        jdbc.sql(
                "insert into used_id_token (token_digest, expires_at) values (?, ?) on conflict do nothing")
            .params(Sha256.of(token), Timestamp.from(now.plus(AGE_MAX).plus(SKEW.multipliedBy(2))))
            .update();
    if (first == 0) {
      throw new RefusedException("the token was used before");
    }
    return verified;
  }

  private Jwt verify(String token) {
    try {
      return decoder.decode(token);
    } catch (BadJwtException e) {
      throw new RefusedException("the token is not valid");
    } catch (JwtException | JwtDecoderInitializationException e) {
      throw new ProviderAwayException(e);
    }
  }
}

package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jwt.JWTClaimsSet;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.identity.TestProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Log-ins with ID tokens.
class IdentitiesTest {
  private static final ManualClock CLOCK = new ManualClock();
  private static TestProvider provider;
  private static RunningBilling billing;
  private static RunningBilling byMail;
  private static String operator;
  private static int visitors;

  private final String name = "person-" + UUID.randomUUID().toString().substring(0, 8);
  private final String subject = "sub-of-" + name;

  @BeforeAll
  static void start(@TempDir Path folder, @TempDir Path other) throws Exception {
    provider = new TestProvider();
    String oidc =
        """
        users:
          totp: required
          oidc:
            issuer: '%s'
            client-id: pages
            create: true
            account-claim: %s
            role-claim: realm_access.roles
            roles: {viaduct-operators: operator, viaduct-auditors: auditor}
        """;
    billing =
        RunningBilling.start(
            folder, CLOCK, oidc.formatted(provider.issuer(), "preferred_username"));
    byMail = RunningBilling.start(other, CLOCK, oidc.formatted(provider.issuer(), "email"));
  }

  @BeforeEach
  void operator() throws Exception {
    provider.failing(false);
    // users.totp is required here: the accounts are opened by one whom the provider has identified
    operator =
        logIn(
                billing,
                claims(c ->
                    c.subject("chief-of-" + name)
                        .claim("preferred_username", "chief-of-" + name)
                        .claim("realm_access", Map.of("roles", List.of("viaduct-operators")))))
            .body()
            .get("token")
            .asString();
  }

  @AfterAll
  static void stop() {
    byMail.close();
    billing.close();
    provider.close();
  }

  private JWTClaimsSet claims(Consumer<JWTClaimsSet.Builder> more) {
    JWTClaimsSet.Builder claims =
        new JWTClaimsSet.Builder()
            .issuer(provider.issuer())
            .audience("pages")
            .subject(subject)
            .jwtID(UUID.randomUUID().toString())
            .issueTime(Date.from(CLOCK.instant()))
            .expirationTime(Date.from(CLOCK.instant().plus(Duration.ofMinutes(10))))
            .claim("preferred_username", name)
            .claim("name", "A Person");
    more.accept(claims);
    return claims.build();
  }

  private static Answer logIn(RunningBilling at, JWTClaimsSet claims) throws Exception {
    return send(at, provider.sign(claims));
  }

  private static Answer send(RunningBilling at, String token) throws Exception {
    return at.call(
        "POST",
        "/api/v1/sessions/identities",
        null,
        "{\"idToken\":\"" + token + "\"}",
        Map.of("X-Forwarded-For", "198.18.0." + ++visitors % 250));
  }

  @Test
  void theFirstLogInMakesTheAccountAndLaterOnesFindItBySubject() throws Exception {
    Answer first = logIn(billing, claims(_ -> {}));
    assertThat(first.status()).as(first.raw().body()).isEqualTo(201);
    assertThat(first.body().get("user").asString()).isEqualTo(name);
    assertThat(first.body().get("role").asString()).isEqualTo("user");
    String token = first.body().get("token").asString();
    assertThat(billing.get("/api/v1/accounts/" + name + "/balance", token).status()).isEqualTo(200);
    assertThat(billing.get("/api/v1/accounts/" + name, token).body().get("displayName").asString())
        .isEqualTo("A Person");

    Answer renamed = logIn(billing, claims(c -> c.claim("preferred_username", "another-name")));
    assertThat(renamed.body().get("user").asString()).isEqualTo(name);
  }

  @Test
  void noAccountIsMadeWithTheNameOfAService() throws Exception {
    Answer refused = logIn(billing, claims(c -> c.claim("preferred_username", "balance")));
    assertThat(refused.problem()).isEqualTo("identity-unknown");
    assertThat(billing.get("/api/v1/accounts/balance", operator).status()).isEqualTo(404);
  }

  @Test
  void noAccountIsTakenOverByItsName() throws Exception {
    billing.openAccount(operator, name);
    Answer refused = logIn(billing, claims(_ -> {}));
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.problem()).isEqualTo("identity-unknown");
    Answer configured = logIn(billing, claims(c -> c.claim("preferred_username", "operator")));
    assertThat(configured.problem()).isEqualTo("identity-unknown");
  }

  @Test
  void anOperatorLinksAnAccountAndTakesTheLinkAway() throws Exception {
    billing.openAccount(operator, name);
    String path = "/api/v1/accounts/" + name + "/identity";
    String link = "{\"subject\":\"" + subject + "\"}";
    assertThat(billing.get(path, operator).status()).isEqualTo(404);
    assertThat(billing.call("PUT", path, operator, link, Map.of()).status()).isEqualTo(200);
    assertThat(billing.get(path, operator).body().get("linkedBy").asString())
        .isEqualTo("chief-of-" + name);
    Answer linked = logIn(billing, claims(_ -> {}));
    assertThat(linked.body().get("user").asString()).isEqualTo(name);
    String token = linked.body().get("token").asString();
    assertThat(billing.call("PUT", path, token, link, Map.of()).problem()).isEqualTo("forbidden");

    String second = "second-" + name;
    billing.openAccount(operator, second);
    assertThat(
            billing
                .call("PUT", "/api/v1/accounts/" + second + "/identity", operator, link, Map.of())
                .problem())
        .isEqualTo("identity-taken");
    assertThat(
            billing
                .call("PUT", "/api/v1/accounts/operator/identity", operator, link, Map.of())
                .problem())
        .isEqualTo("invalid-request");

    assertThat(billing.call("DELETE", path, operator, null, Map.of()).status()).isEqualTo(204);
    assertThat(billing.get("/api/v1/accounts/" + name, token).status()).isEqualTo(401);
    assertThat(logIn(billing, claims(_ -> {})).problem()).isEqualTo("identity-unknown");
  }

  @Test
  void theProviderSaysTheRoleAtEachLogInAndIsTrustedForTheSecondFactor() throws Exception {
    Answer auditor =
        logIn(
            billing,
            claims(
                c -> c.claim("realm_access", Map.of("roles", List.of("x", "viaduct-auditors")))));
    assertThat(auditor.body().get("role").asString()).isEqualTo("auditor");
    assertThat(auditor.body().get("lacksSecondFactor").asBoolean()).isFalse();
    String token = auditor.body().get("token").asString();
    assertThat(billing.get("/api/v1/overview", token).status()).isEqualTo(200);
    assertThat(billing.post("/api/v1/tariffs", token, "{}").problem()).isEqualTo("forbidden");

    Answer user = logIn(billing, claims(_ -> {}));
    assertThat(user.body().get("role").asString()).isEqualTo("user");
    assertThat(billing.get("/api/v1/overview", token).problem())
        .as("the right ends with the role")
        .isEqualTo("forbidden");
  }

  @Test
  void onlyVerifiedAddressesOfTheHomeDomainNameAnAccount() throws Exception {
    for (JWTClaimsSet refused :
        List.of(
            claims(c -> c.claim("email", name + "@ims.test")),
            claims(c -> c.claim("email", name + "@ims.test").claim("email_verified", false)),
            claims(c -> c.claim("email", name + "@ims.test").claim("email_verified", "true")),
            claims(c -> c.claim("email", name + "@evil.test").claim("email_verified", true)),
            claims(c -> c.claim("email", "a/b@ims.test").claim("email_verified", true)))) {
      assertThat(logIn(byMail, refused).problem()).as("%s", refused).isEqualTo("identity-unknown");
    }
    Answer made =
        logIn(
            byMail,
            claims(c -> c.claim("email", name + "@ims.test").claim("email_verified", true)));
    assertThat(made.body().get("user").asString()).isEqualTo(name);
  }

  @Test
  void aTokenThatIsNotForUsNotNowOrNotTheFirstTimeIsRefused() throws Exception {
    JWTClaimsSet right = claims(_ -> {});
    Date early = Date.from(CLOCK.instant().minus(Duration.ofMinutes(20)));
    double before = billing.counter("viaduct_logins_total{outcome=\"refused_identity\"}");
    for (String token :
        List.of(
            provider.sign(claims(c -> c.audience("another client"))),
            provider.sign(claims(c -> c.audience(List.of("pages", "another client")))),
            provider.sign(claims(c -> c.claim("azp", "another client"))),
            provider.sign(claims(c -> c.issuer("https://another.example"))),
            provider.sign(claims(c -> c.issueTime(early))),
            provider.sign(claims(c -> c.issueTime(early).expirationTime(early))),
            provider.sign(claims(c -> c.expirationTime(null))),
            provider.sign(claims(c -> c.subject(null))),
            TestProvider.sign(right, TestProvider.key("first")),
            "eyJhbGciOiJub25lIn0.e30.",
            "not a token")) {
      Answer refused = send(billing, token);
      assertThat(refused.status()).as(token).isEqualTo(401);
      assertThat(refused.problem()).isEqualTo("identity-refused");
    }
    assertThat(billing.counter("viaduct_logins_total{outcome=\"refused_identity\"}"))
        .isEqualTo(before + 11);
    String token = provider.sign(right);
    assertThat(send(billing, token).status()).isEqualTo(201);
    assertThat(send(byMail, token).problem()).as("at any instance").isEqualTo("identity-refused");
  }

  @Test
  void aNewKeyOfTheProviderIsFoundAndItsAbsenceIsSaid() throws Exception {
    provider.newKey();
    assertThat(logIn(billing, claims(_ -> {})).status()).isEqualTo(201);
    provider.failing(true);
    Answer away = send(billing, TestProvider.sign(claims(_ -> {}), TestProvider.key("third")));
    assertThat(away.status()).isEqualTo(503);
    assertThat(away.problem()).isEqualTo("oidc-provider-away");
  }

  @Test
  void aClosedAccountStaysClosed() throws Exception {
    logIn(billing, claims(_ -> {}));
    String account = "/api/v1/accounts/" + name;
    assertThat(
            billing
                .call("DELETE", account, operator, null, billing.ifMatch(account, operator))
                .status())
        .isEqualTo(200);
    assertThat(logIn(billing, claims(_ -> {})).problem()).isEqualTo("identity-unknown");
  }
}

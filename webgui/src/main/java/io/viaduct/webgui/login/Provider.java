package io.viaduct.webgui.login;

import io.viaduct.service.configuration.Secret;
import io.viaduct.webgui.configuration.WebguiConfiguration.Oidc;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.converter.FormHttpMessageConverter;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.http.OAuth2ErrorResponseErrorHandler;
import org.springframework.security.oauth2.client.oidc.authentication.OidcAuthorizationCodeAuthenticationProvider;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenValidator;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.client.registration.InMemoryClientRegistrationRepository;
import org.springframework.security.oauth2.client.registration.SupplierClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import org.springframework.security.oauth2.core.http.converter.OAuth2AccessTokenResponseHttpMessageConverter;
import org.springframework.security.oauth2.core.oidc.user.DefaultOidcUser;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.util.UriComponentsBuilder;

/// The OpenID Connect provider (OpenID Connect Core 1.0): authorization code with PKCE (RFC 7636),
/// state and nonce, by Spring Security. Its discovery document is read when the first visitor wants
/// to log in there, so that the pages start without the provider. Only the ID token is used:
/// billing verifies it again and knows the account.
final class Provider {
  /// Id of the registration, and last part of the redirect URI.
  static final String ID = "provider";

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Oidc settings;
  private final SupplierClientRegistrationRepository registrations;

  Provider(Oidc settings) {
    this.settings = settings;
    registrations =
        new SupplierClientRegistrationRepository(
            () -> new InMemoryClientRegistrationRepository(registration()));
  }

  private ClientRegistration registration() {
    String pages = settings.pages().isEmpty() ? "{baseUrl}" : settings.pages();
    ClientRegistration.Builder client =
        ClientRegistrations.fromIssuerLocation(settings.issuer())
            .registrationId(ID)
            .clientId(settings.clientId())
            .scope(settings.scopes())
            .redirectUri(pages + "/login/oauth2/code/{registrationId}");
    return settings.clientSecretFile().isEmpty()
        ? client.clientAuthenticationMethod(ClientAuthenticationMethod.NONE).build()
        : client.clientSecret(Secret.of(settings.clientSecretFile()).reveal()).build();
  }

  ClientRegistrationRepository registrations() {
    return registrations;
  }

  /// Returns what makes the request that a browser takes to the provider.
  OAuth2AuthorizationRequestResolver requests() {
    DefaultOAuth2AuthorizationRequestResolver requests =
        new DefaultOAuth2AuthorizationRequestResolver(registrations, "/oauth2/authorization");
    requests.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
    return requests;
  }

  /// Returns what exchanges a code for tokens, and checks state, nonce and ID token.
  AuthenticationProvider codes() {
    RestClientAuthorizationCodeTokenResponseClient tokens =
        new RestClientAuthorizationCodeTokenResponseClient();
    tokens.setRestClient(
        RestClient.builder()
            .requestFactory(connections())
            .configureMessageConverters(bodies ->
                bodies
                    .addCustomConverter(new FormHttpMessageConverter())
                    .addCustomConverter(new OAuth2AccessTokenResponseHttpMessageConverter()))
            .defaultStatusHandler(new OAuth2ErrorResponseErrorHandler())
            .build());
    OidcAuthorizationCodeAuthenticationProvider codes =
        new OidcAuthorizationCodeAuthenticationProvider(
            tokens, request -> new DefaultOidcUser(List.of(), request.getIdToken()));
    codes.setJwtDecoderFactory(this::decoder);
    return codes;
  }

  // One for each log-in: the provider's keys may have changed.
  private JwtDecoder decoder(ClientRegistration registration) {
    NimbusJwtDecoder decoder =
        NimbusJwtDecoder.withIssuerLocation(settings.issuer())
            .restOperations(new RestTemplate(connections()))
            .build();
    decoder.setJwtValidator(new OidcIdTokenValidator(registration));
    return decoder;
  }

  private static JdkClientHttpRequestFactory connections() {
    JdkClientHttpRequestFactory connections =
        new JdkClientHttpRequestFactory(
            HttpClient.newBuilder()
                .connectTimeout(PATIENCE)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build());
    connections.setReadTimeout(PATIENCE);
    return connections;
  }

  /// Returns the address at which a visitor logs out of the provider too (OpenID Connect
  /// RP-Initiated Logout 1.0); null if the provider has none.
  ///
  /// @param ownPages address of these pages, if the configuration names none
  @Nullable String logout(String idToken, String ownPages) {
    Object end =
        Objects.requireNonNull(registrations.findByRegistrationId(ID))
            .getProviderDetails()
            .getConfigurationMetadata()
            .get("end_session_endpoint");
    if (end == null) {
      return null;
    }
    String pages = settings.pages().isEmpty() ? ownPages : settings.pages();
    return UriComponentsBuilder.fromUriString(end.toString())
        .queryParam("id_token_hint", "{token}")
        .queryParam("client_id", "{client}")
        .queryParam("post_logout_redirect_uri", "{pages}")
        .encode()
        .buildAndExpand(idToken, settings.clientId(), pages + "/login")
        .toUriString();
  }

  /// Returns the provider's origin, which a logout form leads to.
  static String origin(Oidc settings) {
    URI issuer = URI.create(settings.issuer());
    return issuer.getScheme() + "://" + issuer.getRawAuthority();
  }
}

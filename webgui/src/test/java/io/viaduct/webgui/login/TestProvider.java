package io.viaduct.webgui.login;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import jakarta.servlet.http.HttpServlet;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configuration.OAuth2AuthorizationServerConfiguration;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import org.springframework.security.oauth2.core.oidc.OidcScopes;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.server.authorization.client.InMemoryRegisteredClientRepository;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClient;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClientRepository;
import org.springframework.security.oauth2.server.authorization.settings.AuthorizationServerSettings;
import org.springframework.security.oauth2.server.authorization.settings.ClientSettings;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/// A real OpenID Connect provider in this process: Spring Authorization Server with its own log-in
/// page. It insists on PKCE.
final class TestProvider implements AutoCloseable {
  static final String CLIENT = "pages";
  static final String SECRET = "secret-of-the-pages";

  private final ServletWebServerApplicationContext server;

  TestProvider() {
    SpringApplication application = new SpringApplication(Server.class);
    application.setDefaultProperties(
        Map.of(
            "spring.config.name", "test-provider",
            "spring.main.banner-mode", "off",
            "spring.main.register-shutdown-hook", "false"));
    server = (ServletWebServerApplicationContext) application.run();
  }

  String issuer() {
    return "http://127.0.0.1:" + server.getWebServer().getPort();
  }

  /// Registers the pages.
  void register(String pages) {
    server.getBean(InMemoryRegisteredClientRepository.class).save(client(pages));
  }

  private static RegisteredClient client(String pages) {
    return RegisteredClient.withId(CLIENT)
        .clientId(CLIENT)
        .clientSecret("{noop}" + SECRET)
        .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
        .authorizationGrantType(AuthorizationGrantType.AUTHORIZATION_CODE)
        .redirectUri(pages + "/login/oauth2/code/provider")
        .postLogoutRedirectUri(pages + "/login")
        .scope(OidcScopes.OPENID)
        .scope(OidcScopes.PROFILE)
        .scope(OidcScopes.EMAIL)
        .clientSettings(ClientSettings.builder().requireProofKey(true).build())
        .build();
  }

  @Override
  public void close() {
    server.close();
  }

  private static final class Nothing extends HttpServlet {
    private static final long serialVersionUID = 1L;
  }

  // No @Configuration: the pages of other tests would find it in their package.
  @EnableWebSecurity
  static class Server {
    @Bean
    TomcatServletWebServerFactory tomcat() {
      return new TomcatServletWebServerFactory(0);
    }

    // Without any servlet Tomcat answers before the filters.
    @Bean
    ServletRegistrationBean<HttpServlet> nothing() {
      return new ServletRegistrationBean<>(new Nothing(), "/");
    }

    @Bean
    SecurityFilterChain all(HttpSecurity http) {
      return http.oauth2AuthorizationServer(server -> server.oidc(Customizer.withDefaults()))
          .authorizeHttpRequests(all -> all.anyRequest().authenticated())
          .formLogin(Customizer.withDefaults())
          .build();
    }

    @Bean
    RegisteredClientRepository clients() {
      return new InMemoryRegisteredClientRepository(client("http://127.0.0.1:1"));
    }

    @Bean
    AuthorizationServerSettings settings() {
      return AuthorizationServerSettings.builder().build();
    }

    @Bean
    UserDetailsService people() {
      return new InMemoryUserDetailsManager(
          User.withUsername("alice").password("{noop}at the provider").roles("USER").build(),
          User.withUsername("stranger").password("{noop}at the provider").roles("USER").build());
    }

    @Bean
    JwtDecoder tokens(JWKSource<SecurityContext> keys) {
      return OAuth2AuthorizationServerConfiguration.jwtDecoder(keys);
    }

    @Bean
    JWKSource<SecurityContext> keys() throws JOSEException {
      RSAKey key = new RSAKeyGenerator(2048).keyID("test").generate();
      return new ImmutableJWKSet<>(new JWKSet(key));
    }
  }
}

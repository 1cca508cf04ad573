package io.viaduct.bridge.rest;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.spring.rest.BearerSecurity;
import io.viaduct.spring.rest.ProblemAnswer;
import io.viaduct.spring.rest.RestRules;
import jakarta.servlet.DispatcherType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.SecurityFilterChain;

/// Admits only requests with the bearer token (RFC 6750); all others get 401 with a problem (RFC
/// 9457).
@Configuration(proxyBeanMethods = false)
@Import({RestRules.class, BridgeController.class})
@Lazy(false)
class RestParts {
  @Bean
  SecurityFilterChain operatorsOnly(
      HttpSecurity http, BridgeConfiguration configuration, MeterRegistry registry) {
    Counter refused =
        Counter.builder("viaduct_bridge_rest_refused")
            .description("REST requests without the right bearer token")
            .register(registry);
    AuthenticationEntryPoint refusal =
        (_, response, _) -> {
          refused.increment();
          response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"ims-bridge\"");
          ProblemAnswer.write(
              response,
              HttpStatus.UNAUTHORIZED,
              "send the operator's token as Authorization: Bearer");
        };
    OperatorToken operator = new OperatorToken(configuration.rest().tokenFile().reveal());
    return BearerSecurity.apply(http, operator, refusal)
        .authorizeHttpRequests(all ->
            all.dispatcherTypeMatchers(DispatcherType.ERROR)
                .permitAll()
                .anyRequest()
                .authenticated())
        .build();
  }
}

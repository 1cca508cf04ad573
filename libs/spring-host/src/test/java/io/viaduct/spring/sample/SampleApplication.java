package io.viaduct.spring.sample;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.service.operations.Readiness;
import io.viaduct.spring.rest.BearerSecurity;
import io.viaduct.spring.rest.BearerToken;
import io.viaduct.spring.rest.ProblemAnswer;
import io.viaduct.spring.rest.RestRules;
import jakarta.servlet.DispatcherType;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// A service with one resource behind a bearer token and one part that may be not ready.
@SpringBootApplication(proxyBeanMethods = false)
@Import(RestRules.class)
public class SampleApplication {
  @Bean
  Readiness readiness() {
    return new Readiness("database");
  }

  @Bean
  MeterBinder weaklyHeld() {
    return registry ->
        FunctionCounter.builder("viaduct_sample", new AtomicLong(7), AtomicLong::get)
            .register(registry);
  }

  @Bean
  SecurityFilterChain rest(HttpSecurity http) {
    AuthenticationManager tokens =
        given -> {
          if (given instanceof BearerToken token && token.getCredentials().equals("right")) {
            return new UsernamePasswordAuthenticationToken(
                "caller", null, AuthorityUtils.NO_AUTHORITIES);
          }
          throw new BadCredentialsException("wrong token");
        };
    return BearerSecurity.apply(
            http,
            tokens,
            (_, response, _) -> {
              response.setHeader("WWW-Authenticate", "Bearer");
              ProblemAnswer.write(response, HttpStatus.UNAUTHORIZED, "send the token");
            })
        .authorizeHttpRequests(all ->
            all.dispatcherTypeMatchers(DispatcherType.ERROR)
                .permitAll()
                .anyRequest()
                .authenticated())
        .build();
  }

  @RestController
  static class Things {
    @GetMapping("/api/v1/things")
    Map<String, Object> things(@RequestParam(required = false) String state) {
      return Map.of("state", String.valueOf(state));
    }
  }
}

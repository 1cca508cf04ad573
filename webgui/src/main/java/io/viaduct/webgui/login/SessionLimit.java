package io.viaduct.webgui.login;

import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.login.RefusedRequests.Reason;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.catalina.session.StandardManager;
import org.apache.catalina.session.TooManyActiveSessionsException;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.web.filter.OncePerRequestFilter;

/// Bounds the memory that visitors can take who never log in. Above `limits.sessions` a new visitor
/// gets 503 and one line of text, since even the log-in page needs a session for its form; those
/// who have a session notice nothing.
@Configuration(proxyBeanMethods = false)
class SessionLimit {
  private static final String BUSY = "Too many visitors. Please try again in a minute.\n";

  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> boundedSessions(Limits limits) {
    return tomcat ->
        tomcat.addContextCustomizers(context -> {
          StandardManager manager = new StandardManager();
          manager.setMaxActiveSessions(limits.sessions());
          context.setManager(manager);
        });
  }

  @Bean
  FilterRegistrationBean<OncePerRequestFilter> tooManySessions(RefusedRequests refused) {
    FilterRegistrationBean<OncePerRequestFilter> outermost =
        new FilterRegistrationBean<>(new Refusal(refused));
    outermost.setOrder(Ordered.HIGHEST_PRECEDENCE);
    return outermost;
  }

  private static final class Refusal extends OncePerRequestFilter {
    private final RefusedRequests refused;

    Refusal(RefusedRequests refused) {
      this.refused = refused;
    }

    @Override
    protected void doFilterInternal(
        HttpServletRequest request, HttpServletResponse response, FilterChain chain)
        throws ServletException, IOException {
      try {
        chain.doFilter(request, response);
      } catch (ServletException | RuntimeException e) {
        if (!(NestedExceptionUtils.getMostSpecificCause(e)
            instanceof TooManyActiveSessionsException)) {
          throw e;
        }
        refused.count(Reason.SESSIONS);
        response.reset();
        response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        response.setHeader("Retry-After", "60");
        response.setContentType("text/plain;charset=UTF-8");
        response.getWriter().write(BUSY);
      }
    }
  }
}

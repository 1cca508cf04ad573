package io.viaduct.spring.rest;

import org.apache.catalina.core.StandardHost;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/// The rules for every answer of a REST interface; a service imports this class. The headers and
/// the form of errors are installed in Tomcat itself, because some requests never reach Spring.
@Configuration(proxyBeanMethods = false)
public class RestRules implements WebMvcConfigurer {
  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(new QueryCheck()).addPathPatterns("/api/**");
  }

  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE)
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> answerRules() {
    return tomcat -> {
      tomcat.addEngineValves(new AnswerHeaders());
      tomcat.addContextCustomizers(context -> {
        if (context.getParent() instanceof StandardHost host) {
          host.setErrorReportValveClass(ProblemReport.class.getName());
        }
      });
    };
  }

  @Bean
  ErrorPath errorPath() {
    return new ErrorPath();
  }
}

package io.viaduct.billing.rest;

import org.apache.catalina.core.StandardHost;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;

/// Installs the rules for every answer in Tomcat itself, because some requests never reach Spring.
final class AnswerRules implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {
  @Override
  public void customize(TomcatServletWebServerFactory tomcat) {
    tomcat.addEngineValves(new AnswerHeaders());
    tomcat.addContextCustomizers(context -> {
      if (context.getParent() instanceof StandardHost host) {
        host.setErrorReportValveClass(ProblemReport.class.getName());
      }
    });
  }
}

package io.viaduct.webgui.account;

import io.viaduct.webgui.WebguiConfiguration.Limits;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Display;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.springframework.http.MediaType;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.thymeleaf.ITemplateEngine;
import org.thymeleaf.context.WebContext;
import org.thymeleaf.web.servlet.JakartaServletWebApplication;

/// The stream behind a live page: the same templates as the page, sent again when billing says that
/// something changed.
@Controller
class LivePages {
  private final Billing billing;
  private final LiveStreams streams;
  private final LiveRelay relay;
  private final Limits limits;
  private final ITemplateEngine templates;
  private final Display display;

  LivePages(
      Billing billing,
      LiveStreams streams,
      Limits limits,
      InstantSource clock,
      ITemplateEngine templates,
      Display display) {
    this.billing = billing;
    this.streams = streams;
    this.relay = new LiveRelay(billing, limits, clock);
    this.limits = limits;
    this.templates = templates;
    this.display = display;
  }

  @GetMapping(path = "/accounts/{account}/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  void events(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam int rows,
      Locale locale,
      HttpServletRequest request,
      HttpServletResponse response) {
    int bounded = Math.clamp(rows, 1, limits.chargesPerPage());
    String session = request.getSession().getId();
    WebContext context = context(request, response, locale);
    LiveSignal signal = streams.open(session);
    try {
      relay.run(
          visitor,
          account,
          signal,
          response,
          () -> {
            Map<String, Object> variables = new HashMap<>();
            variables.put("display", display);
            variables.putAll(
                AccountState.read(billing, visitor.token(), account, bounded).variables());
            context.setVariables(variables);
            return templates.process("live", context);
          });
    } finally {
      streams.close(session, signal);
    }
  }

  /// Too many live pages: the browser tries again, more and more seldom.
  @ExceptionHandler(StreamRefusedException.class)
  void refused(HttpServletResponse response) {
    response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
  }

  private static WebContext context(
      HttpServletRequest request, HttpServletResponse response, Locale locale) {
    return new WebContext(
        JakartaServletWebApplication.buildApplication(request.getServletContext())
            .buildExchange(request, response),
        locale);
  }
}

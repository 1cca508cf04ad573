package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Display;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.InputStream;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.thymeleaf.ITemplateEngine;
import org.thymeleaf.context.WebContext;
import org.thymeleaf.web.servlet.JakartaServletWebApplication;

/// The stream behind a live page: the same templates as the page, sent again when billing says that
/// something changed.
@Controller
class LivePages {
  private static final long NO_TIMEOUT = 0; // the relay ends the stream

  private final Billing billing;
  private final LiveStreams streams;
  private final LiveRelay relay;
  private final Limits limits;
  private final ITemplateEngine templates;

  LivePages(
      Billing billing,
      LiveStreams streams,
      Limits limits,
      InstantSource clock,
      ITemplateEngine templates) {
    this.billing = billing;
    this.streams = streams;
    this.relay = new LiveRelay(limits, clock);
    this.limits = limits;
    this.templates = templates;
  }

  @GetMapping(path = "/accounts/{account}/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  SseEmitter events(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam int rows,
      Locale locale,
      ZoneId zone,
      HttpServletRequest request,
      HttpServletResponse response) {
    int bounded = Math.clamp(rows, 1, limits.chargesPerPage());
    String session = request.getSession().getId();
    WebContext context = context(request, response, locale);
    Display display = new Display(zone);
    LiveSignal signal = streams.open(session);
    InputStream events;
    try {
      events = billing.events(visitor.token(), account);
    } catch (RuntimeException e) {
      streams.close(session, signal);
      throw e;
    }
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    response.setHeader("X-Accel-Buffering", "no"); // nginx would hold events back
    SseEmitter browser = new SseEmitter(NO_TIMEOUT);
    Thread.ofVirtual()
        .name("live-page")
        .start(() -> {
          try {
            relay.run(
                visitor,
                events,
                signal,
                browser,
                () -> html(visitor, account, bounded, context, display));
          } finally {
            streams.close(session, signal);
          }
        });
    return browser;
  }

  private String html(
      SignedIn visitor, String account, int rows, WebContext context, Display display) {
    Map<String, Object> variables = new HashMap<>();
    variables.put("display", display);
    variables.putAll(AccountState.read(billing, visitor.token(), account, rows).variables());
    context.setVariables(variables);
    return templates.process("live", context);
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

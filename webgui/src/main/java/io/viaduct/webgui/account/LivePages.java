package io.viaduct.webgui.account;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.ChargeFilter;
import io.viaduct.webgui.billing.ChargeQuery;
import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Display;
import io.viaduct.webgui.peer.BearerToken;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.InputStream;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
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

  /// Live pages that read their state from billing at once. All pages read when billing comes back:
  /// they wait for their turn here, not for a connection of billing's database.
  private static final int READS_MAX = 6;

  private final Semaphore reads = new Semaphore(READS_MAX, true);

  /// Turns of the reads that no change has caused. A page without a turn does not wait, since a
  /// change may come meanwhile; it reads when it is quiet the next time.
  private final Semaphore passingReads = new Semaphore(READS_MAX / 3);

  private final Counter skipped;

  private final Billing billing;
  private final LiveStreams streams;
  private final LiveRelay relay;
  private final Limits limits;
  private final ITemplateEngine templates;
  private final InstantSource clock;

  LivePages(
      Billing billing,
      LiveStreams streams,
      Limits limits,
      InstantSource clock,
      ITemplateEngine templates,
      MeterRegistry meters) {
    this.billing = billing;
    this.streams = streams;
    this.relay = new LiveRelay(limits, clock);
    this.clock = clock;
    this.limits = limits;
    this.templates = templates;
    this.skipped =
        Counter.builder("viaduct_webgui_live_reads_skipped")
            .description("Reads of rates for a live page that were left out, others being read")
            .register(meters);
  }

  @GetMapping(path = "/accounts/{account}/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  SseEmitter events(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam int rows,
      @RequestParam(defaultValue = "home") String page,
      @RequestParam(defaultValue = "") String by,
      Locale locale,
      ZoneId zone,
      HttpServletRequest request,
      HttpServletResponse response) {
    int bounded = Math.clamp(rows, 1, limits.chargesPerPage());
    String session = request.getSession().getId();
    WebContext context = context(request, response, locale);
    Viewed viewed = new Viewed(visitor, account, bounded, ChargeGroups.by(by), zone, context);
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
            relay.run(visitor, events, signal, browser, inTurn(parts(page, viewed)));
          } finally {
            streams.close(session, signal);
          }
        });
    return browser;
  }

  /// Content of a page, and its viewer.
  ///
  /// @param by field by which the list of charges is summed
  private record Viewed(
      SignedIn visitor, String account, int rows, String by, ZoneId zone, WebContext context) {}

  private LiveRelay.Parts inTurn(LiveRelay.Parts parts) {
    return new LiveRelay.Parts(
        () -> {
          reads.acquireUninterruptibly();
          return andRelease(reads, parts.changed());
        },
        () -> {
          if (passingReads.tryAcquire()) {
            return andRelease(passingReads, parts.passing());
          }
          skipped.increment();
          return "";
        });
  }

  private static String andRelease(Semaphore turns, Supplier<String> read) {
    try {
      return read.get();
    } finally {
      turns.release();
    }
  }

  // The list of charges has nothing that changes without a charge; it asks for nothing but them and
  // their sums.
  private LiveRelay.Parts parts(String page, Viewed viewed) {
    return page.equals("charges")
        ? new LiveRelay.Parts(() -> charges(viewed), () -> "")
        : new LiveRelay.Parts(() -> home(viewed), () -> running(viewed));
  }

  private String home(Viewed viewed) {
    return html(
        "live",
        viewed,
        AccountState.read(
                billing,
                viewed.visitor().token(),
                viewed.account(),
                viewed.rows(),
                clock.instant(),
                viewed.zone())
            .variables());
  }

  private String running(Viewed viewed) {
    return html(
        "live-running",
        viewed,
        Map.of("running", billing.running(viewed.visitor().token(), viewed.account()).running()));
  }

  private String charges(Viewed viewed) {
    BearerToken token = viewed.visitor().token();
    ChargeFilter all = ChargeFilter.between(null, null);
    Map<String, Object> shown = new HashMap<>();
    shown.put("account", viewed.account());
    shown.put("filter", all);
    shown.put("by", viewed.by());
    shown.put("devices", billing.devices(token, viewed.account()));
    shown.put(
        "charges",
        billing.charges(token, viewed.account(), ChargeQuery.newest(viewed.rows())).charges());
    shown.put(
        "groups",
        ChargeGroups.read(
            billing,
            token,
            viewed.account(),
            new ChargeGroups.Wanted(all, viewed.by(), viewed.zone()),
            clock.instant()));
    return html("live-charges", viewed, shown);
  }

  private String html(String template, Viewed viewed, Map<String, Object> shown) {
    Map<String, Object> variables = new HashMap<>(shown);
    variables.put("display", new Display(viewed.zone()));
    viewed.context().setVariables(variables);
    return templates.process(template, viewed.context());
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

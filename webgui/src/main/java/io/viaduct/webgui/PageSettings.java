package io.viaduct.webgui;

import io.viaduct.webgui.configuration.WebguiConfiguration.Http;
import java.util.HashMap;
import java.util.Map;

/// Translates the validated configuration to properties of Spring Boot. No key of ours is ever read
/// from Spring's properties.
final class PageSettings {
  private PageSettings() {}

  static Map<String, Object> of(Http http) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("server.compression.enabled", true);
    // The editor of tariffs sends two numbers for each knot: 64 knots in each of eight tables.
    settings.put("server.tomcat.max-http-form-post-size", "128KB");
    settings.put("server.tomcat.max-parameter-count", 2000);
    settings.put("server.max-http-request-header-size", "16KB");
    settings.put("server.tomcat.connection-timeout", "10s");
    // The Host header is the visitor's word: no Location repeats it.
    settings.put("server.tomcat.use-relative-redirects", true);
    // A visitor at the log-in page; after log-in limits.session-idle holds.
    settings.put("server.servlet.session.timeout", "10m");
    settings.put("server.servlet.session.tracking-modes", "cookie");
    settings.put("server.servlet.session.cookie.name", "VIADUCT");
    settings.put("server.servlet.session.cookie.http-only", true);
    settings.put("server.servlet.session.cookie.secure", http.secureCookies());
    // Lax, not strict: a link from a mail to a charge finds its visitor logged in. Forms carry a
    // CSRF token.
    settings.put("server.servlet.session.cookie.same-site", "lax");
    settings.put("server.forward-headers-strategy", http.secureCookies() ? "native" : "none");
    // Of what a proxy says Tomcat takes the scheme only; the visitor's address is for
    // http.trusted-proxies to believe or not.
    settings.put("server.tomcat.remoteip.remote-ip-header", "x-viaduct-not-in-use");
    settings.put(
        "server.tomcat.remoteip.protocol-header", http.secureCookies() ? "x-forwarded-proto" : "");
    // What a bundle does not have is English, whatever the server's own language is.
    settings.put("spring.messages.fallback-to-system-locale", false);
    // The name of a static file carries the hash of its content, so browsers keep it for a year.
    settings.put("spring.web.resources.chain.strategy.content.enabled", true);
    settings.put("spring.web.resources.chain.strategy.content.paths", "/assets/**");
    settings.put("spring.web.resources.cache.cachecontrol.max-age", "365d");
    settings.put("spring.web.resources.cache.cachecontrol.cache-public", true);
    return settings;
  }
}

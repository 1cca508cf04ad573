package io.viaduct.denarii.api;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;

/// A list of billing, read page by page along its cursors. Only one page is in memory.
public final class Pages implements Iterator<JsonNode> {
  private static final int PAGE = 500;

  private final BillingApi billing;
  private final String path;
  private final Map<String, String> query;
  private final String list;
  private final Queue<JsonNode> page = new ArrayDeque<>();
  private boolean isLast;

  private Pages(BillingApi billing, String path, Map<String, String> query, String list) {
    this.billing = billing;
    this.path = path;
    this.query = new LinkedHashMap<>(query);
    this.list = list;
    this.query.put("limit", Integer.toString(PAGE));
  }

  /// Returns the rows of a list in billing's order. Reading them throws [UncheckedIOException].
  ///
  /// @param query filters; empty values are left out
  /// @param list key of the rows in each page
  public static Stream<JsonNode> of(
      BillingApi billing, String path, Map<String, String> query, String list) {
    Iterable<JsonNode> rows = () -> new Pages(billing, path, query, list);
    return StreamSupport.stream(rows.spliterator(), false);
  }

  /// Returns a path with its query; empty values are left out.
  public static String path(String path, Map<String, String> query) {
    String text =
        query.entrySet().stream()
            .filter(e -> !e.getValue().isEmpty())
            .map(e -> e.getKey() + "=" + encoded(e.getValue()))
            .collect(Collectors.joining("&"));
    return text.isEmpty() ? path : path + "?" + text;
  }

  /// Returns a text as it stands in a path or a query.
  public static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public boolean hasNext() {
    while (page.isEmpty() && !isLast) {
      read();
    }
    return !page.isEmpty();
  }

  private void read() {
    try {
      JsonNode answer = billing.get(path(path, query));
      answer.path(list).forEach(page::add);
      String next = answer.path("next").asString("");
      isLast = next.isEmpty();
      query.put("cursor", next);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public JsonNode next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return page.remove();
  }
}

-- F5: a caller that has known this group for a while finds its clock ahead, and nobody has agreed with it since. It may
-- be the caller that is wrong. For ARGV[4] ms those who are new here, and cannot tell, grant nothing.
call('SET', P .. 'g:doubt', '1', 'PX', ARGV[4])
return { 'OK', '' }
